// @generated from proto/loki_push.proto by benches/generated/make
#[derive(Debug, Default, PartialEq, Clone)]
pub struct PushRequest {
    pub r#streams: ::std::vec::Vec<StreamAdapter>,
    pub r#format: ::std::string::String,
}
impl PushRequest {}
impl ::micropb::MessageDecode for PushRequest {
    fn decode<IMPL_MICROPB_READ: ::micropb::PbRead>(
        &mut self,
        decoder: &mut ::micropb::PbDecoder<IMPL_MICROPB_READ>,
        len: usize,
    ) -> Result<(), ::micropb::DecodeError<IMPL_MICROPB_READ::Error>> {
        use ::micropb::{PbBytes, PbString, PbVec, PbMap, FieldDecode};
        let before = decoder.bytes_read();
        while decoder.bytes_read() - before < len {
            let tag = decoder.decode_tag()?;
            match tag.field_num() {
                0 => return Err(::micropb::DecodeError::ZeroField),
                1u32 => {
                    if tag.wire_type() != 2u8 {
                        return Err(::micropb::DecodeError::WrongWireType);
                    }
                    let mut val: StreamAdapter = ::core::default::Default::default();
                    let mut_ref = &mut val;
                    {
                        decoder.decode_submessage_delimited(mut_ref)?;
                    };
                    if let (Err(_), false) = (
                        self.r#streams.pb_push(val),
                        decoder.ignore_repeated_cap_err,
                    ) {
                        return Err(::micropb::DecodeError::Capacity);
                    }
                }
                2u32 => {
                    if tag.wire_type() != 2u8 {
                        return Err(::micropb::DecodeError::WrongWireType);
                    }
                    let mut_ref = &mut self.r#format;
                    {
                        decoder.decode_string(mut_ref, ::micropb::Presence::Implicit)?;
                    };
                }
                _ => {
                    decoder.skip_wire_value(tag.wire_type())?;
                }
            }
        }
        Ok(())
    }
}
impl ::micropb::MessageEncode for PushRequest {
    const MAX_SIZE: ::core::result::Result<usize, &'static str> = 'msg: {
        let mut max_size = 0;
        match ::core::result::Result::<
            usize,
            &'static str,
        >::Err("(.PushRequest.streams) unbounded vec") {
            ::core::result::Result::Ok(size) => {
                max_size += size;
            }
            ::core::result::Result::Err(err) => {
                break 'msg (::core::result::Result::<usize, _>::Err(err));
            }
        }
        match ::micropb::const_map!(
            ::core::result::Result:: < usize, & 'static str >
            ::Err("(.PushRequest.format) unbounded string or bytes"), | size | size +
            1usize
        ) {
            ::core::result::Result::Ok(size) => {
                max_size += size;
            }
            ::core::result::Result::Err(err) => {
                break 'msg (::core::result::Result::<usize, _>::Err(err));
            }
        }
        ::core::result::Result::Ok(max_size)
    };
    fn encode<IMPL_MICROPB_WRITE: ::micropb::PbWrite>(
        &self,
        encoder: &mut ::micropb::PbEncoder<IMPL_MICROPB_WRITE>,
    ) -> Result<(), IMPL_MICROPB_WRITE::Error> {
        use ::micropb::{PbMap, FieldEncode};
        {
            for (i, val_ref) in self.r#streams.iter().enumerate() {
                encoder.encode_varint32(10u32)?;
                val_ref.encode_len_delimited(encoder)?;
            }
        }
        {
            let val_ref = &self.r#format;
            if !val_ref.is_empty() {
                encoder.encode_varint32(18u32)?;
                encoder.encode_string(val_ref)?;
            }
        }
        Ok(())
    }
    fn compute_size(&self) -> usize {
        use ::micropb::{PbMap, FieldEncode};
        let mut size = 0;
        {
            for (i, val_ref) in self.r#streams.iter().enumerate() {
                size
                    += 1usize
                        + ::micropb::size::sizeof_len_record(val_ref.compute_size());
            }
        }
        {
            let val_ref = &self.r#format;
            if !val_ref.is_empty() {
                size += 1usize + ::micropb::size::sizeof_len_record(val_ref.len());
            }
        }
        size
    }
}
#[derive(Debug, Default, PartialEq, Clone, Copy)]
pub struct PushResponse {}
impl PushResponse {}
impl ::micropb::MessageDecode for PushResponse {
    fn decode<IMPL_MICROPB_READ: ::micropb::PbRead>(
        &mut self,
        decoder: &mut ::micropb::PbDecoder<IMPL_MICROPB_READ>,
        len: usize,
    ) -> Result<(), ::micropb::DecodeError<IMPL_MICROPB_READ::Error>> {
        use ::micropb::{PbBytes, PbString, PbVec, PbMap, FieldDecode};
        let before = decoder.bytes_read();
        while decoder.bytes_read() - before < len {
            let tag = decoder.decode_tag()?;
            match tag.field_num() {
                0 => return Err(::micropb::DecodeError::ZeroField),
                _ => {
                    decoder.skip_wire_value(tag.wire_type())?;
                }
            }
        }
        Ok(())
    }
}
impl ::micropb::MessageEncode for PushResponse {
    const MAX_SIZE: ::core::result::Result<usize, &'static str> = 'msg: {
        let mut max_size = 0;
        ::core::result::Result::Ok(max_size)
    };
    fn encode<IMPL_MICROPB_WRITE: ::micropb::PbWrite>(
        &self,
        encoder: &mut ::micropb::PbEncoder<IMPL_MICROPB_WRITE>,
    ) -> Result<(), IMPL_MICROPB_WRITE::Error> {
        use ::micropb::{PbMap, FieldEncode};
        Ok(())
    }
    fn compute_size(&self) -> usize {
        use ::micropb::{PbMap, FieldEncode};
        let mut size = 0;
        size
    }
}
#[derive(Debug, Default, PartialEq, Clone)]
pub struct StreamAdapter {
    pub r#labels: ::std::string::String,
    pub r#entries: ::std::vec::Vec<EntryAdapter>,
    pub r#hash: u64,
}
impl StreamAdapter {}
impl ::micropb::MessageDecode for StreamAdapter {
    fn decode<IMPL_MICROPB_READ: ::micropb::PbRead>(
        &mut self,
        decoder: &mut ::micropb::PbDecoder<IMPL_MICROPB_READ>,
        len: usize,
    ) -> Result<(), ::micropb::DecodeError<IMPL_MICROPB_READ::Error>> {
        use ::micropb::{PbBytes, PbString, PbVec, PbMap, FieldDecode};
        let before = decoder.bytes_read();
        while decoder.bytes_read() - before < len {
            let tag = decoder.decode_tag()?;
            match tag.field_num() {
                0 => return Err(::micropb::DecodeError::ZeroField),
                1u32 => {
                    if tag.wire_type() != 2u8 {
                        return Err(::micropb::DecodeError::WrongWireType);
                    }
                    let mut_ref = &mut self.r#labels;
                    {
                        decoder.decode_string(mut_ref, ::micropb::Presence::Implicit)?;
                    };
                }
                2u32 => {
                    if tag.wire_type() != 2u8 {
                        return Err(::micropb::DecodeError::WrongWireType);
                    }
                    let mut val: EntryAdapter = ::core::default::Default::default();
                    let mut_ref = &mut val;
                    {
                        decoder.decode_submessage_delimited(mut_ref)?;
                    };
                    if let (Err(_), false) = (
                        self.r#entries.pb_push(val),
                        decoder.ignore_repeated_cap_err,
                    ) {
                        return Err(::micropb::DecodeError::Capacity);
                    }
                }
                3u32 => {
                    if tag.wire_type() != 0u8 {
                        return Err(::micropb::DecodeError::WrongWireType);
                    }
                    let mut_ref = &mut self.r#hash;
                    {
                        let val = decoder.decode_varint64()?;
                        let val_ref = &val;
                        if *val_ref != 0 {
                            *mut_ref = val as _;
                        }
                    };
                }
                _ => {
                    decoder.skip_wire_value(tag.wire_type())?;
                }
            }
        }
        Ok(())
    }
}
impl ::micropb::MessageEncode for StreamAdapter {
    const MAX_SIZE: ::core::result::Result<usize, &'static str> = 'msg: {
        let mut max_size = 0;
        match ::micropb::const_map!(
            ::core::result::Result:: < usize, & 'static str >
            ::Err("(.StreamAdapter.labels) unbounded string or bytes"), | size | size +
            1usize
        ) {
            ::core::result::Result::Ok(size) => {
                max_size += size;
            }
            ::core::result::Result::Err(err) => {
                break 'msg (::core::result::Result::<usize, _>::Err(err));
            }
        }
        match ::core::result::Result::<
            usize,
            &'static str,
        >::Err("(.StreamAdapter.entries) unbounded vec") {
            ::core::result::Result::Ok(size) => {
                max_size += size;
            }
            ::core::result::Result::Err(err) => {
                break 'msg (::core::result::Result::<usize, _>::Err(err));
            }
        }
        match ::micropb::const_map!(
            ::core::result::Result::Ok(10usize), | size | size + 1usize
        ) {
            ::core::result::Result::Ok(size) => {
                max_size += size;
            }
            ::core::result::Result::Err(err) => {
                break 'msg (::core::result::Result::<usize, _>::Err(err));
            }
        }
        ::core::result::Result::Ok(max_size)
    };
    fn encode<IMPL_MICROPB_WRITE: ::micropb::PbWrite>(
        &self,
        encoder: &mut ::micropb::PbEncoder<IMPL_MICROPB_WRITE>,
    ) -> Result<(), IMPL_MICROPB_WRITE::Error> {
        use ::micropb::{PbMap, FieldEncode};
        {
            let val_ref = &self.r#labels;
            if !val_ref.is_empty() {
                encoder.encode_varint32(10u32)?;
                encoder.encode_string(val_ref)?;
            }
        }
        {
            for (i, val_ref) in self.r#entries.iter().enumerate() {
                encoder.encode_varint32(18u32)?;
                val_ref.encode_len_delimited(encoder)?;
            }
        }
        {
            let val_ref = &self.r#hash;
            if *val_ref != 0 {
                encoder.encode_varint32(24u32)?;
                encoder.encode_varint64(*val_ref as _)?;
            }
        }
        Ok(())
    }
    fn compute_size(&self) -> usize {
        use ::micropb::{PbMap, FieldEncode};
        let mut size = 0;
        {
            let val_ref = &self.r#labels;
            if !val_ref.is_empty() {
                size += 1usize + ::micropb::size::sizeof_len_record(val_ref.len());
            }
        }
        {
            for (i, val_ref) in self.r#entries.iter().enumerate() {
                size
                    += 1usize
                        + ::micropb::size::sizeof_len_record(val_ref.compute_size());
            }
        }
        {
            let val_ref = &self.r#hash;
            if *val_ref != 0 {
                size += 1usize + ::micropb::size::sizeof_varint64(*val_ref as _);
            }
        }
        size
    }
}
#[derive(Debug, Default, PartialEq, Clone)]
pub struct LabelPairAdapter {
    pub r#name: ::std::string::String,
    pub r#value: ::std::string::String,
}
impl LabelPairAdapter {}
impl ::micropb::MessageDecode for LabelPairAdapter {
    fn decode<IMPL_MICROPB_READ: ::micropb::PbRead>(
        &mut self,
        decoder: &mut ::micropb::PbDecoder<IMPL_MICROPB_READ>,
        len: usize,
    ) -> Result<(), ::micropb::DecodeError<IMPL_MICROPB_READ::Error>> {
        use ::micropb::{PbBytes, PbString, PbVec, PbMap, FieldDecode};
        let before = decoder.bytes_read();
        while decoder.bytes_read() - before < len {
            let tag = decoder.decode_tag()?;
            match tag.field_num() {
                0 => return Err(::micropb::DecodeError::ZeroField),
                1u32 => {
                    if tag.wire_type() != 2u8 {
                        return Err(::micropb::DecodeError::WrongWireType);
                    }
                    let mut_ref = &mut self.r#name;
                    {
                        decoder.decode_string(mut_ref, ::micropb::Presence::Implicit)?;
                    };
                }
                2u32 => {
                    if tag.wire_type() != 2u8 {
                        return Err(::micropb::DecodeError::WrongWireType);
                    }
                    let mut_ref = &mut self.r#value;
                    {
                        decoder.decode_string(mut_ref, ::micropb::Presence::Implicit)?;
                    };
                }
                _ => {
                    decoder.skip_wire_value(tag.wire_type())?;
                }
            }
        }
        Ok(())
    }
}
impl ::micropb::MessageEncode for LabelPairAdapter {
    const MAX_SIZE: ::core::result::Result<usize, &'static str> = 'msg: {
        let mut max_size = 0;
        match ::micropb::const_map!(
            ::core::result::Result:: < usize, & 'static str >
            ::Err("(.LabelPairAdapter.name) unbounded string or bytes"), | size | size +
            1usize
        ) {
            ::core::result::Result::Ok(size) => {
                max_size += size;
            }
            ::core::result::Result::Err(err) => {
                break 'msg (::core::result::Result::<usize, _>::Err(err));
            }
        }
        match ::micropb::const_map!(
            ::core::result::Result:: < usize, & 'static str >
            ::Err("(.LabelPairAdapter.value) unbounded string or bytes"), | size | size +
            1usize
        ) {
            ::core::result::Result::Ok(size) => {
                max_size += size;
            }
            ::core::result::Result::Err(err) => {
                break 'msg (::core::result::Result::<usize, _>::Err(err));
            }
        }
        ::core::result::Result::Ok(max_size)
    };
    fn encode<IMPL_MICROPB_WRITE: ::micropb::PbWrite>(
        &self,
        encoder: &mut ::micropb::PbEncoder<IMPL_MICROPB_WRITE>,
    ) -> Result<(), IMPL_MICROPB_WRITE::Error> {
        use ::micropb::{PbMap, FieldEncode};
        {
            let val_ref = &self.r#name;
            if !val_ref.is_empty() {
                encoder.encode_varint32(10u32)?;
                encoder.encode_string(val_ref)?;
            }
        }
        {
            let val_ref = &self.r#value;
            if !val_ref.is_empty() {
                encoder.encode_varint32(18u32)?;
                encoder.encode_string(val_ref)?;
            }
        }
        Ok(())
    }
    fn compute_size(&self) -> usize {
        use ::micropb::{PbMap, FieldEncode};
        let mut size = 0;
        {
            let val_ref = &self.r#name;
            if !val_ref.is_empty() {
                size += 1usize + ::micropb::size::sizeof_len_record(val_ref.len());
            }
        }
        {
            let val_ref = &self.r#value;
            if !val_ref.is_empty() {
                size += 1usize + ::micropb::size::sizeof_len_record(val_ref.len());
            }
        }
        size
    }
}
#[derive(Debug, Default, Clone)]
pub struct EntryAdapter {
    /// *Note:* The presence of this field is tracked separately in the `_has` field. It's recommended to access this field via the accessor rather than directly.
    pub r#timestamp: Timestamp,
    pub r#line: ::std::string::String,
    pub r#structured_metadata: ::std::vec::Vec<LabelPairAdapter>,
    pub r#parsed: ::std::vec::Vec<LabelPairAdapter>,
    /// Tracks presence of optional and message fields
    pub _has: EntryAdapter_::_Hazzer,
}
impl ::core::cmp::PartialEq for EntryAdapter {
    fn eq(&self, other: &Self) -> bool {
        let mut ret = true;
        ret &= (self.r#timestamp() == other.r#timestamp());
        ret &= (self.r#line == other.r#line);
        ret &= (self.r#structured_metadata == other.r#structured_metadata);
        ret &= (self.r#parsed == other.r#parsed);
        ret
    }
}
impl EntryAdapter {
    /// Return a reference to `timestamp` as an `Option`
    #[inline]
    pub fn r#timestamp(&self) -> ::core::option::Option<&Timestamp> {
        self._has.r#timestamp().then_some(&self.r#timestamp)
    }
}
impl ::micropb::MessageDecode for EntryAdapter {
    fn decode<IMPL_MICROPB_READ: ::micropb::PbRead>(
        &mut self,
        decoder: &mut ::micropb::PbDecoder<IMPL_MICROPB_READ>,
        len: usize,
    ) -> Result<(), ::micropb::DecodeError<IMPL_MICROPB_READ::Error>> {
        use ::micropb::{PbBytes, PbString, PbVec, PbMap, FieldDecode};
        let before = decoder.bytes_read();
        while decoder.bytes_read() - before < len {
            let tag = decoder.decode_tag()?;
            match tag.field_num() {
                0 => return Err(::micropb::DecodeError::ZeroField),
                1u32 => {
                    if tag.wire_type() != 2u8 {
                        return Err(::micropb::DecodeError::WrongWireType);
                    }
                    let mut_ref = &mut self.r#timestamp;
                    {
                        decoder.decode_submessage_delimited(mut_ref)?;
                    };
                    self._has.set_timestamp();
                }
                2u32 => {
                    if tag.wire_type() != 2u8 {
                        return Err(::micropb::DecodeError::WrongWireType);
                    }
                    let mut_ref = &mut self.r#line;
                    {
                        decoder.decode_string(mut_ref, ::micropb::Presence::Implicit)?;
                    };
                }
                3u32 => {
                    if tag.wire_type() != 2u8 {
                        return Err(::micropb::DecodeError::WrongWireType);
                    }
                    let mut val: LabelPairAdapter = ::core::default::Default::default();
                    let mut_ref = &mut val;
                    {
                        decoder.decode_submessage_delimited(mut_ref)?;
                    };
                    if let (Err(_), false) = (
                        self.r#structured_metadata.pb_push(val),
                        decoder.ignore_repeated_cap_err,
                    ) {
                        return Err(::micropb::DecodeError::Capacity);
                    }
                }
                4u32 => {
                    if tag.wire_type() != 2u8 {
                        return Err(::micropb::DecodeError::WrongWireType);
                    }
                    let mut val: LabelPairAdapter = ::core::default::Default::default();
                    let mut_ref = &mut val;
                    {
                        decoder.decode_submessage_delimited(mut_ref)?;
                    };
                    if let (Err(_), false) = (
                        self.r#parsed.pb_push(val),
                        decoder.ignore_repeated_cap_err,
                    ) {
                        return Err(::micropb::DecodeError::Capacity);
                    }
                }
                _ => {
                    decoder.skip_wire_value(tag.wire_type())?;
                }
            }
        }
        Ok(())
    }
}
impl ::micropb::MessageEncode for EntryAdapter {
    const MAX_SIZE: ::core::result::Result<usize, &'static str> = 'msg: {
        let mut max_size = 0;
        match ::micropb::const_map!(
            ::micropb::const_map!(< Timestamp as ::micropb::MessageEncode > ::MAX_SIZE, |
            size | ::micropb::size::sizeof_len_record(size)), | size | size + 1usize
        ) {
            ::core::result::Result::Ok(size) => {
                max_size += size;
            }
            ::core::result::Result::Err(err) => {
                break 'msg (::core::result::Result::<usize, _>::Err(err));
            }
        }
        match ::micropb::const_map!(
            ::core::result::Result:: < usize, & 'static str >
            ::Err("(.EntryAdapter.line) unbounded string or bytes"), | size | size +
            1usize
        ) {
            ::core::result::Result::Ok(size) => {
                max_size += size;
            }
            ::core::result::Result::Err(err) => {
                break 'msg (::core::result::Result::<usize, _>::Err(err));
            }
        }
        match ::core::result::Result::<
            usize,
            &'static str,
        >::Err("(.EntryAdapter.structured_metadata) unbounded vec") {
            ::core::result::Result::Ok(size) => {
                max_size += size;
            }
            ::core::result::Result::Err(err) => {
                break 'msg (::core::result::Result::<usize, _>::Err(err));
            }
        }
        match ::core::result::Result::<
            usize,
            &'static str,
        >::Err("(.EntryAdapter.parsed) unbounded vec") {
            ::core::result::Result::Ok(size) => {
                max_size += size;
            }
            ::core::result::Result::Err(err) => {
                break 'msg (::core::result::Result::<usize, _>::Err(err));
            }
        }
        ::core::result::Result::Ok(max_size)
    };
    fn encode<IMPL_MICROPB_WRITE: ::micropb::PbWrite>(
        &self,
        encoder: &mut ::micropb::PbEncoder<IMPL_MICROPB_WRITE>,
    ) -> Result<(), IMPL_MICROPB_WRITE::Error> {
        use ::micropb::{PbMap, FieldEncode};
        {
            if let ::core::option::Option::Some(val_ref) = self.r#timestamp() {
                encoder.encode_varint32(10u32)?;
                val_ref.encode_len_delimited(encoder)?;
            }
        }
        {
            let val_ref = &self.r#line;
            if !val_ref.is_empty() {
                encoder.encode_varint32(18u32)?;
                encoder.encode_string(val_ref)?;
            }
        }
        {
            for (i, val_ref) in self.r#structured_metadata.iter().enumerate() {
                encoder.encode_varint32(26u32)?;
                val_ref.encode_len_delimited(encoder)?;
            }
        }
        {
            for (i, val_ref) in self.r#parsed.iter().enumerate() {
                encoder.encode_varint32(34u32)?;
                val_ref.encode_len_delimited(encoder)?;
            }
        }
        Ok(())
    }
    fn compute_size(&self) -> usize {
        use ::micropb::{PbMap, FieldEncode};
        let mut size = 0;
        {
            if let ::core::option::Option::Some(val_ref) = self.r#timestamp() {
                size
                    += 1usize
                        + ::micropb::size::sizeof_len_record(val_ref.compute_size());
            }
        }
        {
            let val_ref = &self.r#line;
            if !val_ref.is_empty() {
                size += 1usize + ::micropb::size::sizeof_len_record(val_ref.len());
            }
        }
        {
            for (i, val_ref) in self.r#structured_metadata.iter().enumerate() {
                size
                    += 1usize
                        + ::micropb::size::sizeof_len_record(val_ref.compute_size());
            }
        }
        {
            for (i, val_ref) in self.r#parsed.iter().enumerate() {
                size
                    += 1usize
                        + ::micropb::size::sizeof_len_record(val_ref.compute_size());
            }
        }
        size
    }
}
/// Inner types for `EntryAdapter`
pub mod EntryAdapter_ {
    /// Compact bitfield for tracking presence of optional and message fields
    #[derive(Debug, Default, PartialEq, Clone, Copy)]
    pub struct _Hazzer([u8; 1]);
    impl _Hazzer {
        /// New hazzer with all fields set to off
        #[inline]
        pub const fn _new() -> Self {
            Self([0; 1])
        }
        /// Query presence of `timestamp`
        #[inline]
        pub const fn r#timestamp(&self) -> bool {
            (self.0[0] & 1) != 0
        }
        /// Set presence of `timestamp`
        #[inline]
        pub const fn set_timestamp(&mut self) -> &mut Self {
            let elem = &mut self.0[0];
            *elem |= 1;
            self
        }
        /// Clear presence of `timestamp`
        #[inline]
        pub const fn clear_timestamp(&mut self) -> &mut Self {
            let elem = &mut self.0[0];
            *elem &= !1;
            self
        }
        /// Builder method that sets the presence of `timestamp`. Useful for initializing the Hazzer.
        #[inline]
        pub const fn init_timestamp(mut self) -> Self {
            self.set_timestamp();
            self
        }
    }
}
#[derive(Debug, Default, PartialEq, Clone, Copy)]
pub struct Timestamp {
    pub r#seconds: i64,
    pub r#nanos: i32,
}
impl Timestamp {}
impl ::micropb::MessageDecode for Timestamp {
    fn decode<IMPL_MICROPB_READ: ::micropb::PbRead>(
        &mut self,
        decoder: &mut ::micropb::PbDecoder<IMPL_MICROPB_READ>,
        len: usize,
    ) -> Result<(), ::micropb::DecodeError<IMPL_MICROPB_READ::Error>> {
        use ::micropb::{PbBytes, PbString, PbVec, PbMap, FieldDecode};
        let before = decoder.bytes_read();
        while decoder.bytes_read() - before < len {
            let tag = decoder.decode_tag()?;
            match tag.field_num() {
                0 => return Err(::micropb::DecodeError::ZeroField),
                1u32 => {
                    if tag.wire_type() != 0u8 {
                        return Err(::micropb::DecodeError::WrongWireType);
                    }
                    let mut_ref = &mut self.r#seconds;
                    {
                        let val = decoder.decode_int64()?;
                        let val_ref = &val;
                        if *val_ref != 0 {
                            *mut_ref = val as _;
                        }
                    };
                }
                2u32 => {
                    if tag.wire_type() != 0u8 {
                        return Err(::micropb::DecodeError::WrongWireType);
                    }
                    let mut_ref = &mut self.r#nanos;
                    {
                        let val = decoder.decode_int32()?;
                        let val_ref = &val;
                        if *val_ref != 0 {
                            *mut_ref = val as _;
                        }
                    };
                }
                _ => {
                    decoder.skip_wire_value(tag.wire_type())?;
                }
            }
        }
        Ok(())
    }
}
impl ::micropb::MessageEncode for Timestamp {
    const MAX_SIZE: ::core::result::Result<usize, &'static str> = 'msg: {
        let mut max_size = 0;
        match ::micropb::const_map!(
            ::core::result::Result::Ok(10usize), | size | size + 1usize
        ) {
            ::core::result::Result::Ok(size) => {
                max_size += size;
            }
            ::core::result::Result::Err(err) => {
                break 'msg (::core::result::Result::<usize, _>::Err(err));
            }
        }
        match ::micropb::const_map!(
            ::core::result::Result::Ok(10usize), | size | size + 1usize
        ) {
            ::core::result::Result::Ok(size) => {
                max_size += size;
            }
            ::core::result::Result::Err(err) => {
                break 'msg (::core::result::Result::<usize, _>::Err(err));
            }
        }
        ::core::result::Result::Ok(max_size)
    };
    fn encode<IMPL_MICROPB_WRITE: ::micropb::PbWrite>(
        &self,
        encoder: &mut ::micropb::PbEncoder<IMPL_MICROPB_WRITE>,
    ) -> Result<(), IMPL_MICROPB_WRITE::Error> {
        use ::micropb::{PbMap, FieldEncode};
        {
            let val_ref = &self.r#seconds;
            if *val_ref != 0 {
                encoder.encode_varint32(8u32)?;
                encoder.encode_int64(*val_ref as _)?;
            }
        }
        {
            let val_ref = &self.r#nanos;
            if *val_ref != 0 {
                encoder.encode_varint32(16u32)?;
                encoder.encode_int32(*val_ref as _)?;
            }
        }
        Ok(())
    }
    fn compute_size(&self) -> usize {
        use ::micropb::{PbMap, FieldEncode};
        let mut size = 0;
        {
            let val_ref = &self.r#seconds;
            if *val_ref != 0 {
                size += 1usize + ::micropb::size::sizeof_int64(*val_ref as _);
            }
        }
        {
            let val_ref = &self.r#nanos;
            if *val_ref != 0 {
                size += 1usize + ::micropb::size::sizeof_int32(*val_ref as _);
            }
        }
        size
    }
}
