//! prost, with `String` fields (UTF-8 checked) and with `Bytes` fields (unchecked, sharing the
//! body).

use std::collections::HashMap;
use std::error::Error;

use borrowire::proto::prometheus_v2 as string_types;
use bytes::Bytes;
use prost::Message;
use self_cell::self_cell;

use super::super::digest::Count;
use super::super::remote_write_v1::prost::impl_add_histogram;
use super::super::{Digest, Peer, Touch};

/// `proto/prometheus_v2.proto` with every `string` turned into `bytes`: see `build.rs`.
#[allow(clippy::all, clippy::pedantic)]
mod bytes_types {
    include!(concat!(env!("OUT_DIR"), "/prometheus_v2_bytes/io.prometheus.write.v2.rs"));
}

pub struct ProstString;
pub struct ProstBytes;

/// Names and values of all labels: those of a series, then those of its exemplars.
type Strings<'a> = Vec<(&'a str, &'a str)>;
type Slices<'a> = Vec<(&'a [u8], &'a [u8])>;

self_cell!(
    pub struct ResolvedStrings {
        owner: string_types::Request,
        #[covariant]
        dependent: Strings,
    }
);

self_cell!(
    pub struct ResolvedSlices {
        owner: bytes_types::Request,
        #[covariant]
        dependent: Slices,
    }
);

impl_add_histogram!(add_string_histogram, string_types);
impl_add_histogram!(add_bytes_histogram, bytes_types);

// The types differ in their text fields only.
macro_rules! impl_peer {
    (
        $peer:ident, $name:literal, $types:ident, $resolved:ident, $text:ty, $add_histogram:ident,
        $decode:expr, $own:expr
    ) => {
        impl Peer for $peer {
            const NAME: &'static str = $name;

            type Request<'a> = $resolved;

            fn decode(body: &Bytes) -> Result<$resolved, Box<dyn Error>> {
                let decode: fn(&Bytes) -> _ = $decode;
                return $resolved::try_new(decode(body)?, resolve);

                fn resolve(
                    request: &$types::Request,
                ) -> Result<Vec<(&$text, &$text)>, Box<dyn Error>> {
                    let lists = || request.timeseries.iter().flat_map(lists);
                    let mut pairs =
                        Vec::with_capacity(lists().map(<[u32]>::len).sum::<usize>() / 2);
                    for refs in lists() {
                        let (labels, rest) = refs.as_chunks();
                        for &[name, value] in labels {
                            pairs.push((symbol(request, name)?, symbol(request, value)?));
                        }
                        if !rest.is_empty() {
                            return Err("an odd number of references".into());
                        }
                    }
                    Ok(pairs)
                }

                fn lists(series: &$types::TimeSeries) -> impl Iterator<Item = &[u32]> {
                    let exemplars = series.exemplars.iter();
                    let exemplars = exemplars.map(|exemplar| &*exemplar.labels_refs);
                    std::iter::once(&*series.labels_refs).chain(exemplars)
                }

                fn symbol(request: &$types::Request, at: u32) -> Result<&$text, Box<dyn Error>> {
                    let symbol = request.symbols.get(at as usize);
                    Ok(symbol.ok_or("a reference out of range")?)
                }
            }

            fn digest(resolved: &$resolved) -> Digest {
                let mut digest = Digest::default();
                let request = resolved.borrow_owner();
                let mut labels = resolved.borrow_dependent().iter();
                for series in &request.timeseries {
                    digest.series();
                    for (name, value) in labels.by_ref().take(series.labels_refs.len() / 2) {
                        digest.label(name.as_ref(), value.as_ref());
                    }
                    for sample in &series.samples {
                        digest.sample(sample.value, sample.timestamp);
                    }
                    for exemplar in &series.exemplars {
                        digest.exemplar(exemplar.value, exemplar.timestamp);
                        for (name, value) in labels.by_ref().take(exemplar.labels_refs.len() / 2) {
                            digest.label(name.as_ref(), value.as_ref());
                        }
                    }
                    for histogram in &series.histograms {
                        $add_histogram(&mut digest, histogram);
                    }
                    if let Some(metadata) = &series.metadata {
                        let text = |at: u32| request.symbols[at as usize].as_ref();
                        let (help, unit) = (text(metadata.help_ref), text(metadata.unit_ref));
                        digest.metadata(metadata.r#type, b"", help, unit);
                    }
                }
                digest
            }

            #[inline]
            fn touch(resolved: &$resolved) -> Touch {
                let mut touch = Touch::default();
                let mut labels = resolved.borrow_dependent().iter();
                for series in &resolved.borrow_owner().timeseries {
                    for (name, value) in labels.by_ref().take(series.labels_refs.len() / 2) {
                        touch.label(name.as_ref(), value.as_ref());
                    }
                    for sample in &series.samples {
                        touch.sample(sample.value, sample.timestamp);
                    }
                    let of_exemplars = series.exemplars.iter().map(|e| e.labels_refs.len() / 2);
                    labels.by_ref().take(of_exemplars.sum()).for_each(drop);
                }
                touch
            }

            fn encoded_len(resolved: &$resolved) -> usize {
                Self::symbolize(resolved).encoded_len()
            }

            fn encode(resolved: &$resolved, buffer: &mut Vec<u8>) -> usize {
                buffer.clear();
                Self::symbolize(resolved).encode(buffer).expect("a vector grows");
                buffer.len()
            }
        }

        impl $peer {
            /// A request made of the texts, as from data of one's own.
            fn symbolize(resolved: &$resolved) -> $types::Request {
                let request = resolved.borrow_owner();
                let mut labels = resolved.borrow_dependent().iter();
                let empty: &$text = Default::default();
                let mut symbols = vec![$own(empty)];
                let mut table = HashMap::from([(empty, 0)]);
                let mut intern = |text| {
                    *table.entry(text).or_insert_with(|| {
                        symbols.push($own(text));
                        symbols.len() as u32 - 1
                    })
                };
                let mut timeseries = Vec::with_capacity(request.timeseries.len());
                for series in &request.timeseries {
                    let mut refs = |len: usize| {
                        let mut refs = Vec::with_capacity(len);
                        for (name, value) in labels.by_ref().take(len / 2) {
                            refs.extend([intern(*name), intern(*value)]);
                        }
                        refs
                    };
                    let labels_refs = refs(series.labels_refs.len());
                    let exemplars = series.exemplars.iter().map(|exemplar| $types::Exemplar {
                        labels_refs: refs(exemplar.labels_refs.len()),
                        ..*exemplar
                    });
                    let exemplars = exemplars.collect();
                    let metadata = series.metadata.as_ref().map(|metadata| $types::Metadata {
                        r#type: metadata.r#type,
                        help_ref: intern(&request.symbols[metadata.help_ref as usize]),
                        unit_ref: intern(&request.symbols[metadata.unit_ref as usize]),
                    });
                    timeseries.push($types::TimeSeries {
                        labels_refs,
                        samples: series.samples.clone(),
                        histograms: series.histograms.clone(),
                        exemplars,
                        metadata,
                    });
                }
                $types::Request { symbols, timeseries }
            }
        }
    };
}

impl_peer!(
    ProstString,
    "prost-string",
    string_types,
    ResolvedStrings,
    str,
    add_string_histogram,
    |body| string_types::Request::decode(body.as_ref()),
    |text: &str| text.to_owned()
);
impl_peer!(
    ProstBytes,
    "prost-bytes",
    bytes_types,
    ResolvedSlices,
    [u8],
    add_bytes_histogram,
    |body| bytes_types::Request::decode(body.clone()),
    |text: &[u8]| Bytes::copy_from_slice(text)
);
