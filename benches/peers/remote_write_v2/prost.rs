//! prost, with `String` fields (UTF-8 checked) and with `Bytes` fields (unchecked, sharing the
//! body).

pub use self::bytes::ProstBytes;
pub use self::string::ProstString;

macro_rules! impl_peer {
    (
        $peer:ident, $name:literal, $types:path, $text:ty,
        |$body:ident| $buffer:expr, |$owned:ident| $own:expr
    ) => {
        use std::collections::HashMap;
        use std::error::Error;

        use $types as types;
        use ::bytes::Bytes;
        use ::prost::Message;

        use crate::peers::fields::{Number, Text, add_histogram, impl_to_count};
        use crate::peers::remote_write_v2::resolved::{
            impl_owned, impl_reading, impl_symbolizing, resolve,
        };
        use crate::peers::{Digest, Peer, Touch};

        pub struct $peer;

        impl_owned!(Resolved: types::Request, $text);
        impl_to_count! {
            types::histogram::Count: CountInt | CountFloat;
            types::histogram::ZeroCount: ZeroCountInt | ZeroCountFloat;
        }

        impl Peer for $peer {
            const NAME: &'static str = $name;

            const IS_OWNED: bool = true;

            type Request<'a> = Resolved;

            fn decode($body: &Bytes) -> Result<Resolved, Box<dyn Error>> {
                let request = types::Request::decode($buffer)?;
                Resolved::try_new(request, |request| resolve!(request, |symbol| &**symbol))
            }

            impl_reading!(r#type, |series| series.metadata.as_ref());

            fn encoded_len(resolved: &Resolved) -> usize {
                Self::symbolized(resolved, |request| request.encoded_len())
            }

            fn encode(resolved: &Resolved, buffer: &mut Vec<u8>) -> usize {
                buffer.clear();
                Self::symbolized(resolved, |request| {
                    request.encode(buffer).expect("a vector grows");
                });
                buffer.len()
            }
        }

        impl $peer {
            impl_symbolizing!(
                types,
                r#type,
                text: |symbol| &**symbol,
                symbol: |$owned: &$text| $own,
                metadata: |series| series.metadata.as_ref(),
                set_metadata: |new, metadata| new.metadata = metadata,
            );
        }
    };
}

mod string {
    impl_peer!(
        ProstString,
        "prost-string",
        borrowire::proto::prometheus_v2,
        str,
        |body| body.as_ref(),
        |text| text.to_owned()
    );
}

mod bytes {
    impl_peer!(
        ProstBytes,
        "prost-bytes",
        crate::peers::generated::prost_bytes::prometheus_v2,
        [u8],
        |body| body.clone(),
        |text| Bytes::copy_from_slice(text)
    );
}
