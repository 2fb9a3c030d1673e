// @generated from proto/prometheus_v1.proto by benches/generated/make
#[derive(Debug, Default, PartialEq, Clone)]
pub struct WriteRequest {
    pub r#timeseries: ::std::vec::Vec<TimeSeries>,
    pub r#metadata: ::std::vec::Vec<MetricMetadata>,
}
impl WriteRequest {}
impl ::micropb::MessageDecode for WriteRequest {
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
                    let mut val: TimeSeries = ::core::default::Default::default();
                    let mut_ref = &mut val;
                    {
                        decoder.decode_submessage_delimited(mut_ref)?;
                    };
                    if let (Err(_), false) = (
                        self.r#timeseries.pb_push(val),
                        decoder.ignore_repeated_cap_err,
                    ) {
                        return Err(::micropb::DecodeError::Capacity);
                    }
                }
                3u32 => {
                    if tag.wire_type() != 2u8 {
                        return Err(::micropb::DecodeError::WrongWireType);
                    }
                    let mut val: MetricMetadata = ::core::default::Default::default();
                    let mut_ref = &mut val;
                    {
                        decoder.decode_submessage_delimited(mut_ref)?;
                    };
                    if let (Err(_), false) = (
                        self.r#metadata.pb_push(val),
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
impl ::micropb::MessageEncode for WriteRequest {
    const MAX_SIZE: ::core::result::Result<usize, &'static str> = 'msg: {
        let mut max_size = 0;
        match ::core::result::Result::<
            usize,
            &'static str,
        >::Err("(.WriteRequest.timeseries) unbounded vec") {
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
        >::Err("(.WriteRequest.metadata) unbounded vec") {
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
            for (i, val_ref) in self.r#timeseries.iter().enumerate() {
                encoder.encode_varint32(10u32)?;
                val_ref.encode_len_delimited(encoder)?;
            }
        }
        {
            for (i, val_ref) in self.r#metadata.iter().enumerate() {
                encoder.encode_varint32(26u32)?;
                val_ref.encode_len_delimited(encoder)?;
            }
        }
        Ok(())
    }
    fn compute_size(&self) -> usize {
        use ::micropb::{PbMap, FieldEncode};
        let mut size = 0;
        {
            for (i, val_ref) in self.r#timeseries.iter().enumerate() {
                size
                    += 1usize
                        + ::micropb::size::sizeof_len_record(val_ref.compute_size());
            }
        }
        {
            for (i, val_ref) in self.r#metadata.iter().enumerate() {
                size
                    += 1usize
                        + ::micropb::size::sizeof_len_record(val_ref.compute_size());
            }
        }
        size
    }
}
#[derive(Debug, Default, PartialEq, Clone)]
pub struct TimeSeries {
    pub r#labels: ::std::vec::Vec<Label>,
    pub r#samples: ::std::vec::Vec<Sample>,
    pub r#exemplars: ::std::vec::Vec<Exemplar>,
    pub r#histograms: ::std::vec::Vec<Histogram>,
}
impl TimeSeries {}
impl ::micropb::MessageDecode for TimeSeries {
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
                    let mut val: Label = ::core::default::Default::default();
                    let mut_ref = &mut val;
                    {
                        decoder.decode_submessage_delimited(mut_ref)?;
                    };
                    if let (Err(_), false) = (
                        self.r#labels.pb_push(val),
                        decoder.ignore_repeated_cap_err,
                    ) {
                        return Err(::micropb::DecodeError::Capacity);
                    }
                }
                2u32 => {
                    if tag.wire_type() != 2u8 {
                        return Err(::micropb::DecodeError::WrongWireType);
                    }
                    let mut val: Sample = ::core::default::Default::default();
                    let mut_ref = &mut val;
                    {
                        decoder.decode_submessage_delimited(mut_ref)?;
                    };
                    if let (Err(_), false) = (
                        self.r#samples.pb_push(val),
                        decoder.ignore_repeated_cap_err,
                    ) {
                        return Err(::micropb::DecodeError::Capacity);
                    }
                }
                3u32 => {
                    if tag.wire_type() != 2u8 {
                        return Err(::micropb::DecodeError::WrongWireType);
                    }
                    let mut val: Exemplar = ::core::default::Default::default();
                    let mut_ref = &mut val;
                    {
                        decoder.decode_submessage_delimited(mut_ref)?;
                    };
                    if let (Err(_), false) = (
                        self.r#exemplars.pb_push(val),
                        decoder.ignore_repeated_cap_err,
                    ) {
                        return Err(::micropb::DecodeError::Capacity);
                    }
                }
                4u32 => {
                    if tag.wire_type() != 2u8 {
                        return Err(::micropb::DecodeError::WrongWireType);
                    }
                    let mut val: Histogram = ::core::default::Default::default();
                    let mut_ref = &mut val;
                    {
                        decoder.decode_submessage_delimited(mut_ref)?;
                    };
                    if let (Err(_), false) = (
                        self.r#histograms.pb_push(val),
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
impl ::micropb::MessageEncode for TimeSeries {
    const MAX_SIZE: ::core::result::Result<usize, &'static str> = 'msg: {
        let mut max_size = 0;
        match ::core::result::Result::<
            usize,
            &'static str,
        >::Err("(.TimeSeries.labels) unbounded vec") {
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
        >::Err("(.TimeSeries.samples) unbounded vec") {
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
        >::Err("(.TimeSeries.exemplars) unbounded vec") {
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
        >::Err("(.TimeSeries.histograms) unbounded vec") {
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
            for (i, val_ref) in self.r#labels.iter().enumerate() {
                encoder.encode_varint32(10u32)?;
                val_ref.encode_len_delimited(encoder)?;
            }
        }
        {
            for (i, val_ref) in self.r#samples.iter().enumerate() {
                encoder.encode_varint32(18u32)?;
                val_ref.encode_len_delimited(encoder)?;
            }
        }
        {
            for (i, val_ref) in self.r#exemplars.iter().enumerate() {
                encoder.encode_varint32(26u32)?;
                val_ref.encode_len_delimited(encoder)?;
            }
        }
        {
            for (i, val_ref) in self.r#histograms.iter().enumerate() {
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
            for (i, val_ref) in self.r#labels.iter().enumerate() {
                size
                    += 1usize
                        + ::micropb::size::sizeof_len_record(val_ref.compute_size());
            }
        }
        {
            for (i, val_ref) in self.r#samples.iter().enumerate() {
                size
                    += 1usize
                        + ::micropb::size::sizeof_len_record(val_ref.compute_size());
            }
        }
        {
            for (i, val_ref) in self.r#exemplars.iter().enumerate() {
                size
                    += 1usize
                        + ::micropb::size::sizeof_len_record(val_ref.compute_size());
            }
        }
        {
            for (i, val_ref) in self.r#histograms.iter().enumerate() {
                size
                    += 1usize
                        + ::micropb::size::sizeof_len_record(val_ref.compute_size());
            }
        }
        size
    }
}
#[derive(Debug, Default, PartialEq, Clone)]
pub struct Label {
    pub r#name: ::std::string::String,
    pub r#value: ::std::string::String,
}
impl Label {}
impl ::micropb::MessageDecode for Label {
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
impl ::micropb::MessageEncode for Label {
    const MAX_SIZE: ::core::result::Result<usize, &'static str> = 'msg: {
        let mut max_size = 0;
        match ::micropb::const_map!(
            ::core::result::Result:: < usize, & 'static str >
            ::Err("(.Label.name) unbounded string or bytes"), | size | size + 1usize
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
            ::Err("(.Label.value) unbounded string or bytes"), | size | size + 1usize
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
#[derive(Debug, Default, PartialEq, Clone, Copy)]
pub struct Sample {
    pub r#value: f64,
    pub r#timestamp: i64,
}
impl Sample {}
impl ::micropb::MessageDecode for Sample {
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
                    if tag.wire_type() != 1u8 {
                        return Err(::micropb::DecodeError::WrongWireType);
                    }
                    let mut_ref = &mut self.r#value;
                    {
                        let val = decoder.decode_double()?;
                        let val_ref = &val;
                        if *val_ref != 0.0 {
                            *mut_ref = val as _;
                        }
                    };
                }
                2u32 => {
                    if tag.wire_type() != 0u8 {
                        return Err(::micropb::DecodeError::WrongWireType);
                    }
                    let mut_ref = &mut self.r#timestamp;
                    {
                        let val = decoder.decode_int64()?;
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
impl ::micropb::MessageEncode for Sample {
    const MAX_SIZE: ::core::result::Result<usize, &'static str> = 'msg: {
        let mut max_size = 0;
        match ::micropb::const_map!(
            ::core::result::Result::Ok(8usize), | size | size + 1usize
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
            let val_ref = &self.r#value;
            if *val_ref != 0.0 {
                encoder.encode_varint32(9u32)?;
                encoder.encode_double(*val_ref)?;
            }
        }
        {
            let val_ref = &self.r#timestamp;
            if *val_ref != 0 {
                encoder.encode_varint32(16u32)?;
                encoder.encode_int64(*val_ref as _)?;
            }
        }
        Ok(())
    }
    fn compute_size(&self) -> usize {
        use ::micropb::{PbMap, FieldEncode};
        let mut size = 0;
        {
            let val_ref = &self.r#value;
            if *val_ref != 0.0 {
                size += 1usize + 8;
            }
        }
        {
            let val_ref = &self.r#timestamp;
            if *val_ref != 0 {
                size += 1usize + ::micropb::size::sizeof_int64(*val_ref as _);
            }
        }
        size
    }
}
#[derive(Debug, Default, PartialEq, Clone)]
pub struct Exemplar {
    pub r#labels: ::std::vec::Vec<Label>,
    pub r#value: f64,
    pub r#timestamp: i64,
}
impl Exemplar {}
impl ::micropb::MessageDecode for Exemplar {
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
                    let mut val: Label = ::core::default::Default::default();
                    let mut_ref = &mut val;
                    {
                        decoder.decode_submessage_delimited(mut_ref)?;
                    };
                    if let (Err(_), false) = (
                        self.r#labels.pb_push(val),
                        decoder.ignore_repeated_cap_err,
                    ) {
                        return Err(::micropb::DecodeError::Capacity);
                    }
                }
                2u32 => {
                    if tag.wire_type() != 1u8 {
                        return Err(::micropb::DecodeError::WrongWireType);
                    }
                    let mut_ref = &mut self.r#value;
                    {
                        let val = decoder.decode_double()?;
                        let val_ref = &val;
                        if *val_ref != 0.0 {
                            *mut_ref = val as _;
                        }
                    };
                }
                3u32 => {
                    if tag.wire_type() != 0u8 {
                        return Err(::micropb::DecodeError::WrongWireType);
                    }
                    let mut_ref = &mut self.r#timestamp;
                    {
                        let val = decoder.decode_int64()?;
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
impl ::micropb::MessageEncode for Exemplar {
    const MAX_SIZE: ::core::result::Result<usize, &'static str> = 'msg: {
        let mut max_size = 0;
        match ::core::result::Result::<
            usize,
            &'static str,
        >::Err("(.Exemplar.labels) unbounded vec") {
            ::core::result::Result::Ok(size) => {
                max_size += size;
            }
            ::core::result::Result::Err(err) => {
                break 'msg (::core::result::Result::<usize, _>::Err(err));
            }
        }
        match ::micropb::const_map!(
            ::core::result::Result::Ok(8usize), | size | size + 1usize
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
            for (i, val_ref) in self.r#labels.iter().enumerate() {
                encoder.encode_varint32(10u32)?;
                val_ref.encode_len_delimited(encoder)?;
            }
        }
        {
            let val_ref = &self.r#value;
            if *val_ref != 0.0 {
                encoder.encode_varint32(17u32)?;
                encoder.encode_double(*val_ref)?;
            }
        }
        {
            let val_ref = &self.r#timestamp;
            if *val_ref != 0 {
                encoder.encode_varint32(24u32)?;
                encoder.encode_int64(*val_ref as _)?;
            }
        }
        Ok(())
    }
    fn compute_size(&self) -> usize {
        use ::micropb::{PbMap, FieldEncode};
        let mut size = 0;
        {
            for (i, val_ref) in self.r#labels.iter().enumerate() {
                size
                    += 1usize
                        + ::micropb::size::sizeof_len_record(val_ref.compute_size());
            }
        }
        {
            let val_ref = &self.r#value;
            if *val_ref != 0.0 {
                size += 1usize + 8;
            }
        }
        {
            let val_ref = &self.r#timestamp;
            if *val_ref != 0 {
                size += 1usize + ::micropb::size::sizeof_int64(*val_ref as _);
            }
        }
        size
    }
}
#[derive(Debug, Default, PartialEq, Clone, Copy)]
pub struct BucketSpan {
    pub r#offset: i32,
    pub r#length: u32,
}
impl BucketSpan {}
impl ::micropb::MessageDecode for BucketSpan {
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
                    let mut_ref = &mut self.r#offset;
                    {
                        let val = decoder.decode_sint32()?;
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
                    let mut_ref = &mut self.r#length;
                    {
                        let val = decoder.decode_varint32()?;
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
impl ::micropb::MessageEncode for BucketSpan {
    const MAX_SIZE: ::core::result::Result<usize, &'static str> = 'msg: {
        let mut max_size = 0;
        match ::micropb::const_map!(
            ::core::result::Result::Ok(5usize), | size | size + 1usize
        ) {
            ::core::result::Result::Ok(size) => {
                max_size += size;
            }
            ::core::result::Result::Err(err) => {
                break 'msg (::core::result::Result::<usize, _>::Err(err));
            }
        }
        match ::micropb::const_map!(
            ::core::result::Result::Ok(5usize), | size | size + 1usize
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
            let val_ref = &self.r#offset;
            if *val_ref != 0 {
                encoder.encode_varint32(8u32)?;
                encoder.encode_sint32(*val_ref as _)?;
            }
        }
        {
            let val_ref = &self.r#length;
            if *val_ref != 0 {
                encoder.encode_varint32(16u32)?;
                encoder.encode_varint32(*val_ref as _)?;
            }
        }
        Ok(())
    }
    fn compute_size(&self) -> usize {
        use ::micropb::{PbMap, FieldEncode};
        let mut size = 0;
        {
            let val_ref = &self.r#offset;
            if *val_ref != 0 {
                size += 1usize + ::micropb::size::sizeof_sint32(*val_ref as _);
            }
        }
        {
            let val_ref = &self.r#length;
            if *val_ref != 0 {
                size += 1usize + ::micropb::size::sizeof_varint32(*val_ref as _);
            }
        }
        size
    }
}
#[derive(Debug, Default, PartialEq, Clone)]
pub struct Histogram {
    pub r#sum: f64,
    pub r#schema: i32,
    pub r#zero_threshold: f64,
    pub r#negative_spans: ::std::vec::Vec<BucketSpan>,
    pub r#negative_deltas: ::std::vec::Vec<i64>,
    pub r#negative_counts: ::std::vec::Vec<f64>,
    pub r#positive_spans: ::std::vec::Vec<BucketSpan>,
    pub r#positive_deltas: ::std::vec::Vec<i64>,
    pub r#positive_counts: ::std::vec::Vec<f64>,
    pub r#reset_hint: Histogram_::ResetHint,
    pub r#timestamp: i64,
    pub r#custom_values: ::std::vec::Vec<f64>,
    pub r#count: ::core::option::Option<Histogram_::Count>,
    pub r#zero_count: ::core::option::Option<Histogram_::ZeroCount>,
}
impl Histogram {}
impl ::micropb::MessageDecode for Histogram {
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
                3u32 => {
                    if tag.wire_type() != 1u8 {
                        return Err(::micropb::DecodeError::WrongWireType);
                    }
                    let mut_ref = &mut self.r#sum;
                    {
                        let val = decoder.decode_double()?;
                        let val_ref = &val;
                        if *val_ref != 0.0 {
                            *mut_ref = val as _;
                        }
                    };
                }
                4u32 => {
                    if tag.wire_type() != 0u8 {
                        return Err(::micropb::DecodeError::WrongWireType);
                    }
                    let mut_ref = &mut self.r#schema;
                    {
                        let val = decoder.decode_sint32()?;
                        let val_ref = &val;
                        if *val_ref != 0 {
                            *mut_ref = val as _;
                        }
                    };
                }
                5u32 => {
                    if tag.wire_type() != 1u8 {
                        return Err(::micropb::DecodeError::WrongWireType);
                    }
                    let mut_ref = &mut self.r#zero_threshold;
                    {
                        let val = decoder.decode_double()?;
                        let val_ref = &val;
                        if *val_ref != 0.0 {
                            *mut_ref = val as _;
                        }
                    };
                }
                8u32 => {
                    if tag.wire_type() != 2u8 {
                        return Err(::micropb::DecodeError::WrongWireType);
                    }
                    let mut val: BucketSpan = ::core::default::Default::default();
                    let mut_ref = &mut val;
                    {
                        decoder.decode_submessage_delimited(mut_ref)?;
                    };
                    if let (Err(_), false) = (
                        self.r#negative_spans.pb_push(val),
                        decoder.ignore_repeated_cap_err,
                    ) {
                        return Err(::micropb::DecodeError::Capacity);
                    }
                }
                9u32 => {
                    if tag.wire_type() != 0u8
                        && tag.wire_type() != ::micropb::WIRE_TYPE_LEN
                    {
                        return Err(::micropb::DecodeError::WrongWireType);
                    }
                    if tag.wire_type() == ::micropb::WIRE_TYPE_LEN {
                        decoder
                            .decode_packed(
                                &mut self.r#negative_deltas,
                                |decoder| decoder.decode_sint64().map(|v| v as _),
                            )?;
                    } else {
                        if let (Err(_), false) = (
                            self
                                .r#negative_deltas
                                .pb_push(decoder.decode_sint64()? as _),
                            decoder.ignore_repeated_cap_err,
                        ) {
                            return Err(::micropb::DecodeError::Capacity);
                        }
                    }
                }
                10u32 => {
                    if tag.wire_type() != 1u8
                        && tag.wire_type() != ::micropb::WIRE_TYPE_LEN
                    {
                        return Err(::micropb::DecodeError::WrongWireType);
                    }
                    if tag.wire_type() == ::micropb::WIRE_TYPE_LEN {
                        decoder
                            .decode_packed(
                                &mut self.r#negative_counts,
                                |decoder| decoder.decode_double().map(|v| v as _),
                            )?;
                    } else {
                        if let (Err(_), false) = (
                            self
                                .r#negative_counts
                                .pb_push(decoder.decode_double()? as _),
                            decoder.ignore_repeated_cap_err,
                        ) {
                            return Err(::micropb::DecodeError::Capacity);
                        }
                    }
                }
                11u32 => {
                    if tag.wire_type() != 2u8 {
                        return Err(::micropb::DecodeError::WrongWireType);
                    }
                    let mut val: BucketSpan = ::core::default::Default::default();
                    let mut_ref = &mut val;
                    {
                        decoder.decode_submessage_delimited(mut_ref)?;
                    };
                    if let (Err(_), false) = (
                        self.r#positive_spans.pb_push(val),
                        decoder.ignore_repeated_cap_err,
                    ) {
                        return Err(::micropb::DecodeError::Capacity);
                    }
                }
                12u32 => {
                    if tag.wire_type() != 0u8
                        && tag.wire_type() != ::micropb::WIRE_TYPE_LEN
                    {
                        return Err(::micropb::DecodeError::WrongWireType);
                    }
                    if tag.wire_type() == ::micropb::WIRE_TYPE_LEN {
                        decoder
                            .decode_packed(
                                &mut self.r#positive_deltas,
                                |decoder| decoder.decode_sint64().map(|v| v as _),
                            )?;
                    } else {
                        if let (Err(_), false) = (
                            self
                                .r#positive_deltas
                                .pb_push(decoder.decode_sint64()? as _),
                            decoder.ignore_repeated_cap_err,
                        ) {
                            return Err(::micropb::DecodeError::Capacity);
                        }
                    }
                }
                13u32 => {
                    if tag.wire_type() != 1u8
                        && tag.wire_type() != ::micropb::WIRE_TYPE_LEN
                    {
                        return Err(::micropb::DecodeError::WrongWireType);
                    }
                    if tag.wire_type() == ::micropb::WIRE_TYPE_LEN {
                        decoder
                            .decode_packed(
                                &mut self.r#positive_counts,
                                |decoder| decoder.decode_double().map(|v| v as _),
                            )?;
                    } else {
                        if let (Err(_), false) = (
                            self
                                .r#positive_counts
                                .pb_push(decoder.decode_double()? as _),
                            decoder.ignore_repeated_cap_err,
                        ) {
                            return Err(::micropb::DecodeError::Capacity);
                        }
                    }
                }
                14u32 => {
                    if tag.wire_type() != 0u8 {
                        return Err(::micropb::DecodeError::WrongWireType);
                    }
                    let mut_ref = &mut self.r#reset_hint;
                    {
                        let val = decoder
                            .decode_int32()
                            .map(|n| Histogram_::ResetHint(n as _))?;
                        let val_ref = &val;
                        if val_ref.0 != 0 {
                            *mut_ref = val as _;
                        }
                    };
                }
                15u32 => {
                    if tag.wire_type() != 0u8 {
                        return Err(::micropb::DecodeError::WrongWireType);
                    }
                    let mut_ref = &mut self.r#timestamp;
                    {
                        let val = decoder.decode_int64()?;
                        let val_ref = &val;
                        if *val_ref != 0 {
                            *mut_ref = val as _;
                        }
                    };
                }
                16u32 => {
                    if tag.wire_type() != 1u8
                        && tag.wire_type() != ::micropb::WIRE_TYPE_LEN
                    {
                        return Err(::micropb::DecodeError::WrongWireType);
                    }
                    if tag.wire_type() == ::micropb::WIRE_TYPE_LEN {
                        decoder
                            .decode_packed(
                                &mut self.r#custom_values,
                                |decoder| decoder.decode_double().map(|v| v as _),
                            )?;
                    } else {
                        if let (Err(_), false) = (
                            self.r#custom_values.pb_push(decoder.decode_double()? as _),
                            decoder.ignore_repeated_cap_err,
                        ) {
                            return Err(::micropb::DecodeError::Capacity);
                        }
                    }
                }
                1u32 => {
                    let mut_ref = loop {
                        if let ::core::option::Option::Some(variant) = &mut self.r#count
                        {
                            if let Histogram_::Count::CountInt(variant) = &mut *variant {
                                break &mut *variant;
                            }
                        }
                        self.r#count = ::core::option::Option::Some(
                            Histogram_::Count::CountInt(
                                ::core::default::Default::default(),
                            ),
                        );
                    };
                    let val = decoder.decode_varint64()?;
                    *mut_ref = val as _;
                }
                2u32 => {
                    let mut_ref = loop {
                        if let ::core::option::Option::Some(variant) = &mut self.r#count
                        {
                            if let Histogram_::Count::CountFloat(variant) = &mut *variant {
                                break &mut *variant;
                            }
                        }
                        self.r#count = ::core::option::Option::Some(
                            Histogram_::Count::CountFloat(
                                ::core::default::Default::default(),
                            ),
                        );
                    };
                    let val = decoder.decode_double()?;
                    *mut_ref = val as _;
                }
                6u32 => {
                    let mut_ref = loop {
                        if let ::core::option::Option::Some(variant) = &mut self
                            .r#zero_count
                        {
                            if let Histogram_::ZeroCount::ZeroCountInt(variant) = &mut *variant {
                                break &mut *variant;
                            }
                        }
                        self.r#zero_count = ::core::option::Option::Some(
                            Histogram_::ZeroCount::ZeroCountInt(
                                ::core::default::Default::default(),
                            ),
                        );
                    };
                    let val = decoder.decode_varint64()?;
                    *mut_ref = val as _;
                }
                7u32 => {
                    let mut_ref = loop {
                        if let ::core::option::Option::Some(variant) = &mut self
                            .r#zero_count
                        {
                            if let Histogram_::ZeroCount::ZeroCountFloat(variant) = &mut *variant {
                                break &mut *variant;
                            }
                        }
                        self.r#zero_count = ::core::option::Option::Some(
                            Histogram_::ZeroCount::ZeroCountFloat(
                                ::core::default::Default::default(),
                            ),
                        );
                    };
                    let val = decoder.decode_double()?;
                    *mut_ref = val as _;
                }
                _ => {
                    decoder.skip_wire_value(tag.wire_type())?;
                }
            }
        }
        Ok(())
    }
}
impl ::micropb::MessageEncode for Histogram {
    const MAX_SIZE: ::core::result::Result<usize, &'static str> = 'msg: {
        let mut max_size = 0;
        match ::micropb::const_map!(
            ::core::result::Result::Ok(8usize), | size | size + 1usize
        ) {
            ::core::result::Result::Ok(size) => {
                max_size += size;
            }
            ::core::result::Result::Err(err) => {
                break 'msg (::core::result::Result::<usize, _>::Err(err));
            }
        }
        match ::micropb::const_map!(
            ::core::result::Result::Ok(5usize), | size | size + 1usize
        ) {
            ::core::result::Result::Ok(size) => {
                max_size += size;
            }
            ::core::result::Result::Err(err) => {
                break 'msg (::core::result::Result::<usize, _>::Err(err));
            }
        }
        match ::micropb::const_map!(
            ::core::result::Result::Ok(8usize), | size | size + 1usize
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
        >::Err("(.Histogram.negative_spans) unbounded vec") {
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
        >::Err("(.Histogram.negative_deltas) unbounded vec") {
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
        >::Err("(.Histogram.negative_counts) unbounded vec") {
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
        >::Err("(.Histogram.positive_spans) unbounded vec") {
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
        >::Err("(.Histogram.positive_deltas) unbounded vec") {
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
        >::Err("(.Histogram.positive_counts) unbounded vec") {
            ::core::result::Result::Ok(size) => {
                max_size += size;
            }
            ::core::result::Result::Err(err) => {
                break 'msg (::core::result::Result::<usize, _>::Err(err));
            }
        }
        match ::micropb::const_map!(
            ::core::result::Result::Ok(Histogram_::ResetHint::_MAX_SIZE), | size | size +
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
            ::core::result::Result::Ok(10usize), | size | size + 1usize
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
        >::Err("(.Histogram.custom_values) unbounded vec") {
            ::core::result::Result::Ok(size) => {
                max_size += size;
            }
            ::core::result::Result::Err(err) => {
                break 'msg (::core::result::Result::<usize, _>::Err(err));
            }
        }
        match 'oneof: {
            let mut max_size = 0;
            match ::micropb::const_map!(
                ::core::result::Result::Ok(10usize), | size | size + 1usize
            ) {
                ::core::result::Result::Ok(size) => {
                    if size > max_size {
                        max_size = size;
                    }
                }
                ::core::result::Result::Err(err) => {
                    break 'oneof (::core::result::Result::<usize, _>::Err(err));
                }
            }
            match ::micropb::const_map!(
                ::core::result::Result::Ok(8usize), | size | size + 1usize
            ) {
                ::core::result::Result::Ok(size) => {
                    if size > max_size {
                        max_size = size;
                    }
                }
                ::core::result::Result::Err(err) => {
                    break 'oneof (::core::result::Result::<usize, _>::Err(err));
                }
            }
            ::core::result::Result::Ok(max_size)
        } {
            ::core::result::Result::Ok(size) => {
                max_size += size;
            }
            ::core::result::Result::Err(err) => {
                break 'msg (::core::result::Result::<usize, _>::Err(err));
            }
        }
        match 'oneof: {
            let mut max_size = 0;
            match ::micropb::const_map!(
                ::core::result::Result::Ok(10usize), | size | size + 1usize
            ) {
                ::core::result::Result::Ok(size) => {
                    if size > max_size {
                        max_size = size;
                    }
                }
                ::core::result::Result::Err(err) => {
                    break 'oneof (::core::result::Result::<usize, _>::Err(err));
                }
            }
            match ::micropb::const_map!(
                ::core::result::Result::Ok(8usize), | size | size + 1usize
            ) {
                ::core::result::Result::Ok(size) => {
                    if size > max_size {
                        max_size = size;
                    }
                }
                ::core::result::Result::Err(err) => {
                    break 'oneof (::core::result::Result::<usize, _>::Err(err));
                }
            }
            ::core::result::Result::Ok(max_size)
        } {
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
            let val_ref = &self.r#sum;
            if *val_ref != 0.0 {
                encoder.encode_varint32(25u32)?;
                encoder.encode_double(*val_ref)?;
            }
        }
        {
            let val_ref = &self.r#schema;
            if *val_ref != 0 {
                encoder.encode_varint32(32u32)?;
                encoder.encode_sint32(*val_ref as _)?;
            }
        }
        {
            let val_ref = &self.r#zero_threshold;
            if *val_ref != 0.0 {
                encoder.encode_varint32(41u32)?;
                encoder.encode_double(*val_ref)?;
            }
        }
        {
            for (i, val_ref) in self.r#negative_spans.iter().enumerate() {
                encoder.encode_varint32(66u32)?;
                val_ref.encode_len_delimited(encoder)?;
            }
        }
        {
            if !self.r#negative_deltas.is_empty() {
                let len = ::micropb::size::sizeof_packed(
                    &self.r#negative_deltas,
                    |val_ref| ::micropb::size::sizeof_sint64(*val_ref as _),
                );
                encoder.encode_varint32(74u32)?;
                encoder
                    .encode_packed(
                        len,
                        &self.r#negative_deltas,
                        |encoder, val| {
                            let val_ref = &val;
                            encoder.encode_sint64(*val_ref as _)
                        },
                    )?;
            }
        }
        {
            if !self.r#negative_counts.is_empty() {
                let len = self.r#negative_counts.len() * 8usize;
                encoder.encode_varint32(82u32)?;
                encoder
                    .encode_packed(
                        len,
                        &self.r#negative_counts,
                        |encoder, val| {
                            let val_ref = &val;
                            encoder.encode_double(*val_ref)
                        },
                    )?;
            }
        }
        {
            for (i, val_ref) in self.r#positive_spans.iter().enumerate() {
                encoder.encode_varint32(90u32)?;
                val_ref.encode_len_delimited(encoder)?;
            }
        }
        {
            if !self.r#positive_deltas.is_empty() {
                let len = ::micropb::size::sizeof_packed(
                    &self.r#positive_deltas,
                    |val_ref| ::micropb::size::sizeof_sint64(*val_ref as _),
                );
                encoder.encode_varint32(98u32)?;
                encoder
                    .encode_packed(
                        len,
                        &self.r#positive_deltas,
                        |encoder, val| {
                            let val_ref = &val;
                            encoder.encode_sint64(*val_ref as _)
                        },
                    )?;
            }
        }
        {
            if !self.r#positive_counts.is_empty() {
                let len = self.r#positive_counts.len() * 8usize;
                encoder.encode_varint32(106u32)?;
                encoder
                    .encode_packed(
                        len,
                        &self.r#positive_counts,
                        |encoder, val| {
                            let val_ref = &val;
                            encoder.encode_double(*val_ref)
                        },
                    )?;
            }
        }
        {
            let val_ref = &self.r#reset_hint;
            if val_ref.0 != 0 {
                encoder.encode_varint32(112u32)?;
                encoder.encode_int32(val_ref.0 as _)?;
            }
        }
        {
            let val_ref = &self.r#timestamp;
            if *val_ref != 0 {
                encoder.encode_varint32(120u32)?;
                encoder.encode_int64(*val_ref as _)?;
            }
        }
        {
            if !self.r#custom_values.is_empty() {
                let len = self.r#custom_values.len() * 8usize;
                encoder.encode_varint32(130u32)?;
                encoder
                    .encode_packed(
                        len,
                        &self.r#custom_values,
                        |encoder, val| {
                            let val_ref = &val;
                            encoder.encode_double(*val_ref)
                        },
                    )?;
            }
        }
        if let Some(oneof) = &self.r#count {
            match &*oneof {
                Histogram_::Count::CountInt(val_ref) => {
                    let val_ref = &*val_ref;
                    encoder.encode_varint32(8u32)?;
                    encoder.encode_varint64(*val_ref as _)?;
                }
                Histogram_::Count::CountFloat(val_ref) => {
                    let val_ref = &*val_ref;
                    encoder.encode_varint32(17u32)?;
                    encoder.encode_double(*val_ref)?;
                }
            }
        }
        if let Some(oneof) = &self.r#zero_count {
            match &*oneof {
                Histogram_::ZeroCount::ZeroCountInt(val_ref) => {
                    let val_ref = &*val_ref;
                    encoder.encode_varint32(48u32)?;
                    encoder.encode_varint64(*val_ref as _)?;
                }
                Histogram_::ZeroCount::ZeroCountFloat(val_ref) => {
                    let val_ref = &*val_ref;
                    encoder.encode_varint32(57u32)?;
                    encoder.encode_double(*val_ref)?;
                }
            }
        }
        Ok(())
    }
    fn compute_size(&self) -> usize {
        use ::micropb::{PbMap, FieldEncode};
        let mut size = 0;
        {
            let val_ref = &self.r#sum;
            if *val_ref != 0.0 {
                size += 1usize + 8;
            }
        }
        {
            let val_ref = &self.r#schema;
            if *val_ref != 0 {
                size += 1usize + ::micropb::size::sizeof_sint32(*val_ref as _);
            }
        }
        {
            let val_ref = &self.r#zero_threshold;
            if *val_ref != 0.0 {
                size += 1usize + 8;
            }
        }
        {
            for (i, val_ref) in self.r#negative_spans.iter().enumerate() {
                size
                    += 1usize
                        + ::micropb::size::sizeof_len_record(val_ref.compute_size());
            }
        }
        {
            if !self.r#negative_deltas.is_empty() {
                let len = ::micropb::size::sizeof_packed(
                    &self.r#negative_deltas,
                    |val_ref| ::micropb::size::sizeof_sint64(*val_ref as _),
                );
                size += 1usize + ::micropb::size::sizeof_len_record(len);
            }
        }
        {
            if !self.r#negative_counts.is_empty() {
                let len = self.r#negative_counts.len() * 8usize;
                size += 1usize + ::micropb::size::sizeof_len_record(len);
            }
        }
        {
            for (i, val_ref) in self.r#positive_spans.iter().enumerate() {
                size
                    += 1usize
                        + ::micropb::size::sizeof_len_record(val_ref.compute_size());
            }
        }
        {
            if !self.r#positive_deltas.is_empty() {
                let len = ::micropb::size::sizeof_packed(
                    &self.r#positive_deltas,
                    |val_ref| ::micropb::size::sizeof_sint64(*val_ref as _),
                );
                size += 1usize + ::micropb::size::sizeof_len_record(len);
            }
        }
        {
            if !self.r#positive_counts.is_empty() {
                let len = self.r#positive_counts.len() * 8usize;
                size += 1usize + ::micropb::size::sizeof_len_record(len);
            }
        }
        {
            let val_ref = &self.r#reset_hint;
            if val_ref.0 != 0 {
                size += 1usize + ::micropb::size::sizeof_int32(val_ref.0 as _);
            }
        }
        {
            let val_ref = &self.r#timestamp;
            if *val_ref != 0 {
                size += 1usize + ::micropb::size::sizeof_int64(*val_ref as _);
            }
        }
        {
            if !self.r#custom_values.is_empty() {
                let len = self.r#custom_values.len() * 8usize;
                size += 2usize + ::micropb::size::sizeof_len_record(len);
            }
        }
        if let Some(oneof) = &self.r#count {
            match &*oneof {
                Histogram_::Count::CountInt(val_ref) => {
                    let val_ref = &*val_ref;
                    size += 1usize + ::micropb::size::sizeof_varint64(*val_ref as _);
                }
                Histogram_::Count::CountFloat(val_ref) => {
                    let val_ref = &*val_ref;
                    size += 1usize + 8;
                }
            }
        }
        if let Some(oneof) = &self.r#zero_count {
            match &*oneof {
                Histogram_::ZeroCount::ZeroCountInt(val_ref) => {
                    let val_ref = &*val_ref;
                    size += 1usize + ::micropb::size::sizeof_varint64(*val_ref as _);
                }
                Histogram_::ZeroCount::ZeroCountFloat(val_ref) => {
                    let val_ref = &*val_ref;
                    size += 1usize + 8;
                }
            }
        }
        size
    }
}
/// Inner types for `Histogram`
pub mod Histogram_ {
    #[derive(Clone, Copy, PartialEq, Eq, Hash)]
    #[repr(transparent)]
    pub struct ResetHint(pub i32);
    impl ResetHint {
        /// Maximum encoded size of the enum
        pub const _MAX_SIZE: usize = 10usize;
        pub const Unknown: Self = Self(0);
        pub const Yes: Self = Self(1);
        pub const No: Self = Self(2);
        pub const Gauge: Self = Self(3);
    }
    impl core::default::Default for ResetHint {
        fn default() -> Self {
            Self(0)
        }
    }
    impl core::convert::From<i32> for ResetHint {
        fn from(val: i32) -> Self {
            Self(val)
        }
    }
    impl core::fmt::Debug for ResetHint {
        fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
            match *self {
                ResetHint::Unknown => formatter.write_str("Unknown"),
                ResetHint::Yes => formatter.write_str("Yes"),
                ResetHint::No => formatter.write_str("No"),
                ResetHint::Gauge => formatter.write_str("Gauge"),
                Self(n) => formatter.debug_tuple("_Unknown").field(&n).finish(),
            }
        }
    }
    #[derive(Debug, PartialEq, Clone)]
    pub enum Count {
        CountInt(u64),
        CountFloat(f64),
    }
    #[derive(Debug, PartialEq, Clone)]
    pub enum ZeroCount {
        ZeroCountInt(u64),
        ZeroCountFloat(f64),
    }
}
#[derive(Debug, Default, PartialEq, Clone)]
pub struct MetricMetadata {
    pub r#type: MetricMetadata_::MetricType,
    pub r#metric_family_name: ::std::string::String,
    pub r#help: ::std::string::String,
    pub r#unit: ::std::string::String,
}
impl MetricMetadata {}
impl ::micropb::MessageDecode for MetricMetadata {
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
                    let mut_ref = &mut self.r#type;
                    {
                        let val = decoder
                            .decode_int32()
                            .map(|n| MetricMetadata_::MetricType(n as _))?;
                        let val_ref = &val;
                        if val_ref.0 != 0 {
                            *mut_ref = val as _;
                        }
                    };
                }
                2u32 => {
                    if tag.wire_type() != 2u8 {
                        return Err(::micropb::DecodeError::WrongWireType);
                    }
                    let mut_ref = &mut self.r#metric_family_name;
                    {
                        decoder.decode_string(mut_ref, ::micropb::Presence::Implicit)?;
                    };
                }
                4u32 => {
                    if tag.wire_type() != 2u8 {
                        return Err(::micropb::DecodeError::WrongWireType);
                    }
                    let mut_ref = &mut self.r#help;
                    {
                        decoder.decode_string(mut_ref, ::micropb::Presence::Implicit)?;
                    };
                }
                5u32 => {
                    if tag.wire_type() != 2u8 {
                        return Err(::micropb::DecodeError::WrongWireType);
                    }
                    let mut_ref = &mut self.r#unit;
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
impl ::micropb::MessageEncode for MetricMetadata {
    const MAX_SIZE: ::core::result::Result<usize, &'static str> = 'msg: {
        let mut max_size = 0;
        match ::micropb::const_map!(
            ::core::result::Result::Ok(MetricMetadata_::MetricType::_MAX_SIZE), | size |
            size + 1usize
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
            ::Err("(.MetricMetadata.metric_family_name) unbounded string or bytes"), |
            size | size + 1usize
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
            ::Err("(.MetricMetadata.help) unbounded string or bytes"), | size | size +
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
            ::Err("(.MetricMetadata.unit) unbounded string or bytes"), | size | size +
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
            let val_ref = &self.r#type;
            if val_ref.0 != 0 {
                encoder.encode_varint32(8u32)?;
                encoder.encode_int32(val_ref.0 as _)?;
            }
        }
        {
            let val_ref = &self.r#metric_family_name;
            if !val_ref.is_empty() {
                encoder.encode_varint32(18u32)?;
                encoder.encode_string(val_ref)?;
            }
        }
        {
            let val_ref = &self.r#help;
            if !val_ref.is_empty() {
                encoder.encode_varint32(34u32)?;
                encoder.encode_string(val_ref)?;
            }
        }
        {
            let val_ref = &self.r#unit;
            if !val_ref.is_empty() {
                encoder.encode_varint32(42u32)?;
                encoder.encode_string(val_ref)?;
            }
        }
        Ok(())
    }
    fn compute_size(&self) -> usize {
        use ::micropb::{PbMap, FieldEncode};
        let mut size = 0;
        {
            let val_ref = &self.r#type;
            if val_ref.0 != 0 {
                size += 1usize + ::micropb::size::sizeof_int32(val_ref.0 as _);
            }
        }
        {
            let val_ref = &self.r#metric_family_name;
            if !val_ref.is_empty() {
                size += 1usize + ::micropb::size::sizeof_len_record(val_ref.len());
            }
        }
        {
            let val_ref = &self.r#help;
            if !val_ref.is_empty() {
                size += 1usize + ::micropb::size::sizeof_len_record(val_ref.len());
            }
        }
        {
            let val_ref = &self.r#unit;
            if !val_ref.is_empty() {
                size += 1usize + ::micropb::size::sizeof_len_record(val_ref.len());
            }
        }
        size
    }
}
/// Inner types for `MetricMetadata`
pub mod MetricMetadata_ {
    #[derive(Clone, Copy, PartialEq, Eq, Hash)]
    #[repr(transparent)]
    pub struct MetricType(pub i32);
    impl MetricType {
        /// Maximum encoded size of the enum
        pub const _MAX_SIZE: usize = 10usize;
        pub const Unknown: Self = Self(0);
        pub const Counter: Self = Self(1);
        pub const Gauge: Self = Self(2);
        pub const Histogram: Self = Self(3);
        pub const Gaugehistogram: Self = Self(4);
        pub const Summary: Self = Self(5);
        pub const Info: Self = Self(6);
        pub const Stateset: Self = Self(7);
    }
    impl core::default::Default for MetricType {
        fn default() -> Self {
            Self(0)
        }
    }
    impl core::convert::From<i32> for MetricType {
        fn from(val: i32) -> Self {
            Self(val)
        }
    }
    impl core::fmt::Debug for MetricType {
        fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
            match *self {
                MetricType::Unknown => formatter.write_str("Unknown"),
                MetricType::Counter => formatter.write_str("Counter"),
                MetricType::Gauge => formatter.write_str("Gauge"),
                MetricType::Histogram => formatter.write_str("Histogram"),
                MetricType::Gaugehistogram => formatter.write_str("Gaugehistogram"),
                MetricType::Summary => formatter.write_str("Summary"),
                MetricType::Info => formatter.write_str("Info"),
                MetricType::Stateset => formatter.write_str("Stateset"),
                Self(n) => formatter.debug_tuple("_Unknown").field(&n).finish(),
            }
        }
    }
}
