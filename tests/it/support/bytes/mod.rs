//! Protobuf bytes for tests, put together without the crate's own writer: a bug that both shared
//! could hide.

pub mod loki;
pub mod v2;

/// A message under construction: each method appends one field or raw bytes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bytes(Vec<u8>);

impl Bytes {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn raw(mut self, bytes: impl AsRef<[u8]>) -> Self {
        self.0.extend_from_slice(bytes.as_ref());
        self
    }

    /// A bare varint in its shortest form.
    pub fn bare_varint(mut self, mut value: u64) -> Self {
        while value > 0x7f {
            self.0.push((value % 0x80) as u8 + 0x80);
            value /= 0x80;
        }
        self.0.push(value as u8);
        self
    }

    pub fn tag(self, number: u32, wire_type: u8) -> Self {
        self.bare_varint(u64::from(number) * 8 + u64::from(wire_type))
    }

    pub fn varint(self, number: u32, value: u64) -> Self {
        self.tag(number, 0).bare_varint(value)
    }

    /// An int32, int64 or enum.
    pub fn int(self, number: u32, value: i64) -> Self {
        self.varint(number, value as u64)
    }

    /// A sint32 or sint64.
    pub fn sint(self, number: u32, value: i64) -> Self {
        self.varint(number, zigzag(value))
    }

    pub fn double(self, number: u32, value: f64) -> Self {
        self.tag(number, 1).raw(value.to_bits().to_le_bytes())
    }

    pub fn fixed32(self, number: u32, value: u32) -> Self {
        self.tag(number, 5).raw(value.to_le_bytes())
    }

    /// A string, bytes or packed field.
    pub fn len(self, number: u32, content: impl AsRef<[u8]>) -> Self {
        let content = content.as_ref();
        self.tag(number, 2).bare_varint(content.len() as u64).raw(content)
    }

    /// Packed sint64 values.
    pub fn packed_sints(self, number: u32, values: &[i64]) -> Self {
        let packed =
            values.iter().fold(Self::new(), |packed, &value| packed.bare_varint(zigzag(value)));
        self.len(number, packed)
    }

    /// Packed doubles.
    pub fn packed_doubles(self, number: u32, values: &[f64]) -> Self {
        let packed: Vec<u8> =
            values.iter().flat_map(|value| value.to_bits().to_le_bytes()).collect();
        self.len(number, packed)
    }

    pub fn build(self) -> Vec<u8> {
        self.0
    }
}

impl AsRef<[u8]> for Bytes {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

pub fn zigzag(value: i64) -> u64 {
    if value < 0 { !(value as u64) * 2 + 1 } else { value as u64 * 2 }
}

pub fn label(name: impl AsRef<[u8]>, value: impl AsRef<[u8]>) -> Bytes {
    Bytes::new().len(1, name).len(2, value)
}

pub fn sample(value: f64, timestamp: i64) -> Bytes {
    Bytes::new().double(1, value).int(2, timestamp)
}

/// A series of `labels` and `samples`, written as a client would.
pub fn series(labels: &[(&str, &str)], samples: &[(f64, i64)]) -> Bytes {
    let labels = labels.iter().fold(Bytes::new(), |series, (n, v)| series.len(1, label(n, v)));
    samples.iter().fold(labels, |series, &(v, t)| series.len(2, sample(v, t)))
}

/// A request of `series`.
pub fn request(series: &[Bytes]) -> Vec<u8> {
    series.iter().fold(Bytes::new(), |request, series| request.len(1, series)).build()
}

/// Small bodies that together use every message and every field, in the shapes clients send.
pub fn small_bodies() -> Vec<(&'static str, Vec<u8>)> {
    let histogram = Bytes::new()
        .varint(1, 12)
        .double(3, 18.4)
        .sint(4, 2)
        .double(5, 1e-128)
        .varint(6, 2)
        .len(8, Bytes::new().varint(2, 1))
        .packed_sints(9, &[3])
        .len(11, Bytes::new().sint(1, -3).varint(2, 2))
        .len(11, Bytes::new().sint(1, 300).varint(2, 1))
        .packed_sints(12, &[1, 2, -2])
        .varint(14, 2)
        .int(15, 1_700_000_000_123);
    let float_histogram = Bytes::new()
        .double(2, 3.5)
        .double(3, -1.0)
        .sint(4, -53)
        .double(7, 0.0)
        .packed_doubles(10, &[-0.0])
        .packed_doubles(13, &[1.5, 2.0])
        .varint(14, 3)
        .int(15, -1)
        .packed_doubles(16, &[0.5, 2.5])
        .int(17, 7);
    let exemplar = Bytes::new()
        .len(1, label("trace_id", "0af7651916cd43dd"))
        .double(2, 0.25)
        .int(3, 1_700_000_000_000);
    let usual = series(
        &[("__name__", "http_requests_total"), ("job", "api-server"), ("städte", "Köln")],
        &[(1027.0, 1_700_000_000_000)],
    );
    let metadata =
        Bytes::new().varint(1, 1).len(2, "http_requests_total").len(4, "Requests.").len(5, "1");
    vec![
        ("one series", request(std::slice::from_ref(&usual))),
        (
            "stale and zero samples",
            request(&[series(
                &[("__name__", "up")],
                &[(f64::from_bits(0x7ff0_0000_0000_0002), 1_700_000_000_000), (1.0, -1)],
            )
            .len(2, Bytes::new().int(2, 1_700_000_000_000))]),
        ),
        ("exemplar", request(&[usual.clone().len(3, &exemplar)])),
        (
            "histograms",
            request(&[series(&[("__name__", "h")], &[]).len(4, histogram).len(4, float_histogram)]),
        ),
        ("metadata", Bytes::new().len(1, &usual).len(3, metadata).build()),
        (
            "extensions",
            Bytes::new()
                .len(1, usual.len(2, sample(1.0, 2).int(3, 1)).int(6, 5))
                .varint(2, 1)
                .varint(1000, 1)
                .varint(1002, 1)
                .len(1001, "")
                .build(),
        ),
        (
            "unknown fields and groups",
            Bytes::new()
                .len(
                    1,
                    Bytes::new()
                        .tag(9, 3)
                        .varint(1, 5)
                        .len(2, "x")
                        .tag(9, 4)
                        .len(1, label("a", "b")),
                )
                .fixed32(77, 5)
                .double(78, 1.0)
                .build(),
        ),
        (
            "a long label",
            request(&[series(
                &[("__name__", "long"), ("path", &"/0123456789".repeat(12))],
                &[(0.5, 1)],
            )]),
        ),
    ]
}
