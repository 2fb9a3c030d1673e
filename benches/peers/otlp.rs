//! What both signals of OTLP have, in types of any generator: attributes, resources, scopes.

/// Functions that add attributes to a digest or a touch, by the types of a generator.
macro_rules! impl_attributes {
    ($any_value:ty, $key_value:ty, $value:path, |$message:ident| $option:expr) => {
        fn add_value(digest: &mut Digest, value: Option<&$any_value>) {
            use $value as Value;
            match value.map(|value| value.value.as_ref()) {
                None => digest.word(100),
                Some(None) => digest.word(101),
                Some(Some(Value::StringValue(text))) => {
                    digest.word(1);
                    digest.text(text.as_bytes());
                }
                Some(Some(Value::BoolValue(value))) => {
                    digest.word(2);
                    digest.word((*value).into());
                }
                Some(Some(Value::IntValue(value))) => {
                    digest.word(3);
                    digest.int(*value);
                }
                Some(Some(Value::DoubleValue(value))) => {
                    digest.word(4);
                    digest.float(*value);
                }
                Some(Some(Value::ArrayValue(array))) => {
                    digest.word(5);
                    array.values.iter().for_each(|value| add_value(digest, Some(value)));
                    digest.word(55);
                }
                Some(Some(Value::KvlistValue(list))) => {
                    digest.word(6);
                    list.values.iter().for_each(|pair| add_key_value(digest, pair));
                    digest.word(66);
                }
                Some(Some(Value::BytesValue(bytes))) => {
                    digest.word(7);
                    digest.text(bytes);
                }
                Some(Some(Value::StringValueStrindex(index))) => {
                    digest.word(8);
                    digest.int((*index).into());
                }
            }
        }

        fn add_key_value(digest: &mut Digest, attribute: &$key_value) {
            digest.attribute(attribute.key.as_bytes());
            let $message = &attribute.value;
            add_value(digest, $option);
            digest.int(attribute.key_strindex.into());
        }

        #[inline]
        fn touch_key_value(touch: &mut Touch, attribute: &$key_value) {
            use $value as Value;
            let $message = &attribute.value;
            match $option.and_then(|value| value.value.as_ref()) {
                Some(Value::StringValue(text)) => {
                    touch.label(attribute.key.as_bytes(), text.as_bytes());
                }
                Some(Value::IntValue(value)) => {
                    touch.text(attribute.key.as_bytes());
                    touch.time(*value, 0);
                }
                Some(Value::DoubleValue(value)) => {
                    touch.text(attribute.key.as_bytes());
                    touch.sample(*value, 0);
                }
                _ => touch.text(attribute.key.as_bytes()),
            }
        }
    };
}
pub(crate) use impl_attributes;

/// Adds a resource to a digest.
macro_rules! add_resource {
    ($digest:expr, $resource:expr) => {
        match $resource {
            None => $digest.word(200),
            Some(resource) => {
                $digest.word(201);
                resource.attributes.iter().for_each(|it| add_key_value($digest, it));
                $digest.word(resource.dropped_attributes_count.into());
                for entity in resource.entity_refs.iter() {
                    $digest.text(entity.schema_url.as_bytes());
                    $digest.text(entity.r#type.as_bytes());
                    entity.id_keys.iter().for_each(|key| $digest.text(key.as_bytes()));
                    entity.description_keys.iter().for_each(|key| $digest.text(key.as_bytes()));
                }
            }
        }
    };
}
pub(crate) use add_resource;

/// Adds a scope to a digest.
macro_rules! add_scope {
    ($digest:expr, $scope:expr) => {
        match $scope {
            None => $digest.word(202),
            Some(scope) => {
                $digest.word(203);
                $digest.text(scope.name.as_bytes());
                $digest.text(scope.version.as_bytes());
                scope.attributes.iter().for_each(|it| add_key_value($digest, it));
                $digest.word(scope.dropped_attributes_count.into());
            }
        }
    };
}
pub(crate) use add_scope;

/// The same functions for this crate.
pub mod borrowire {
    use borrowire::otlp::{AnyValue, Attributes, InstrumentationScope, KeyValue, Resource};

    use super::super::{Digest, Touch};

    pub fn add_value(digest: &mut Digest, value: Option<AnyValue<'_>>) {
        match value {
            None => digest.word(100),
            Some(AnyValue::Empty) => digest.word(101),
            Some(AnyValue::String(text)) => {
                digest.word(1);
                digest.text(text.as_bytes());
            }
            Some(AnyValue::Bool(value)) => {
                digest.word(2);
                digest.word(value.into());
            }
            Some(AnyValue::Int(value)) => {
                digest.word(3);
                digest.int(value);
            }
            Some(AnyValue::Double(value)) => {
                digest.word(4);
                digest.float(value);
            }
            Some(AnyValue::Array(array)) => {
                digest.word(5);
                array.iter().for_each(|value| add_value(digest, Some(value)));
                digest.word(55);
            }
            Some(AnyValue::KvList(list)) => {
                digest.word(6);
                list.iter().for_each(|pair| add_key_value(digest, pair));
                digest.word(66);
            }
            Some(AnyValue::Bytes(bytes)) => {
                digest.word(7);
                digest.text(bytes);
            }
            Some(AnyValue::StringStrindex(index)) => {
                digest.word(8);
                digest.int(index.into());
            }
            Some(other) => panic!("{other:?}"),
        }
    }

    fn add_key_value(digest: &mut Digest, attribute: KeyValue<'_>) {
        digest.attribute(attribute.key.as_bytes());
        add_value(digest, attribute.value);
        digest.int(attribute.key_strindex.into());
    }

    pub fn add_attributes(digest: &mut Digest, attributes: Attributes<'_, '_>) {
        attributes.iter().for_each(|attribute| add_key_value(digest, attribute));
    }

    pub fn add_resource(digest: &mut Digest, resource: Option<Resource<'_, '_>>) {
        let Some(resource) = resource else { return digest.word(200) };
        digest.word(201);
        add_attributes(digest, resource.attributes);
        digest.word(resource.dropped_attributes_count.into());
        for entity in resource.entity_refs {
            digest.text(entity.schema_url.as_bytes());
            digest.text(entity.r#type.as_bytes());
            entity.id_keys.iter().for_each(|key| digest.text(key.as_bytes()));
            entity.description_keys.iter().for_each(|key| digest.text(key.as_bytes()));
        }
    }

    pub fn add_scope(digest: &mut Digest, scope: Option<InstrumentationScope<'_, '_>>) {
        let Some(scope) = scope else { return digest.word(202) };
        digest.word(203);
        digest.text(scope.name.as_bytes());
        digest.text(scope.version.as_bytes());
        add_attributes(digest, scope.attributes);
        digest.word(scope.dropped_attributes_count.into());
    }

    #[inline]
    pub fn touch_attributes(touch: &mut Touch, attributes: Attributes<'_, '_>) {
        for attribute in attributes {
            match attribute.value {
                Some(AnyValue::String(text)) => {
                    touch.label(attribute.key.as_bytes(), text.as_bytes());
                }
                Some(AnyValue::Int(value)) => {
                    touch.text(attribute.key.as_bytes());
                    touch.time(value, 0);
                }
                Some(AnyValue::Double(value)) => {
                    touch.text(attribute.key.as_bytes());
                    touch.sample(value, 0);
                }
                _ => touch.text(attribute.key.as_bytes()),
            }
        }
    }
}
