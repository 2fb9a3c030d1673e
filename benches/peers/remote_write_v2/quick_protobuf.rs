//! quick-protobuf, with borrowed strings (UTF-8 checked).

use std::borrow::Cow;
use std::collections::HashMap;
use std::error::Error;

use bytes::Bytes;
use quick_protobuf::{BytesReader, MessageRead, MessageWrite, Writer};

use super::super::digest::Count;
use super::super::remote_write_v1::quick_protobuf::impl_add_histogram;
use super::super::{Digest, Peer, Touch};
use super::quick_protobuf_types::{self, Exemplar, Metadata, Request, TimeSeries};

pub struct QuickProtobuf;

/// A request, and the names and values of all labels: those of a series, then those of its exemplars.
pub struct Resolved<'a> {
    request: Request<'a>,
    labels: Vec<(&'a str, &'a str)>,
}

impl_add_histogram!(quick_protobuf_types);

impl Peer for QuickProtobuf {
    const NAME: &'static str = "quick-protobuf";

    type Request<'a> = Resolved<'a>;

    fn decode(body: &Bytes) -> Result<Resolved<'_>, Box<dyn Error>> {
        let request = Request::from_reader(&mut BytesReader::from_bytes(body), body)?;
        let labels = resolve(&request)?;
        Ok(Resolved { request, labels })
    }

    fn digest(resolved: &Resolved<'_>) -> Digest {
        let mut digest = Digest::default();
        let request = &resolved.request;
        let mut labels = resolved.labels.iter();
        for series in &request.timeseries {
            digest.series();
            for (name, value) in labels.by_ref().take(series.labels_refs.len() / 2) {
                digest.label(name.as_bytes(), value.as_bytes());
            }
            for sample in &series.samples {
                digest.sample(sample.value, sample.timestamp);
            }
            for exemplar in &series.exemplars {
                digest.exemplar(exemplar.value, exemplar.timestamp);
                for (name, value) in labels.by_ref().take(exemplar.labels_refs.len() / 2) {
                    digest.label(name.as_bytes(), value.as_bytes());
                }
            }
            for histogram in &series.histograms {
                add_histogram(&mut digest, histogram);
            }
            if let Some(metadata) = &series.metadata {
                let text = |at: u32| request.symbols[at as usize].as_bytes();
                let (help, unit) = (text(metadata.help_ref), text(metadata.unit_ref));
                digest.metadata(metadata.type_pb as i32, b"", help, unit);
            }
        }
        digest
    }

    #[inline]
    fn touch(resolved: &Resolved<'_>) -> Touch {
        let mut touch = Touch::default();
        let mut labels = resolved.labels.iter();
        for series in &resolved.request.timeseries {
            for (name, value) in labels.by_ref().take(series.labels_refs.len() / 2) {
                touch.label(name.as_bytes(), value.as_bytes());
            }
            for sample in &series.samples {
                touch.sample(sample.value, sample.timestamp);
            }
            let of_exemplars = series.exemplars.iter().map(|e| e.labels_refs.len() / 2);
            labels.by_ref().take(of_exemplars.sum()).for_each(drop);
        }
        touch
    }

    fn encoded_len(resolved: &Resolved<'_>) -> usize {
        symbolize(resolved).get_size()
    }

    fn encode(resolved: &Resolved<'_>, buffer: &mut Vec<u8>) -> usize {
        buffer.clear();
        let request = symbolize(resolved);
        request.write_message(&mut Writer::new(&mut *buffer)).expect("a vector grows");
        buffer.len()
    }
}

/// The lists of references of a series: its own, then those of its exemplars.
fn lists(series: &TimeSeries) -> impl Iterator<Item = &[u32]> {
    let exemplars = series.exemplars.iter().map(|exemplar| &*exemplar.labels_refs);
    std::iter::once(&*series.labels_refs).chain(exemplars)
}

fn resolve<'a>(request: &Request<'a>) -> Result<Vec<(&'a str, &'a str)>, &'static str> {
    let symbol = |at: u32| match request.symbols.get(at as usize) {
        Some(Cow::Borrowed(symbol)) => Ok(*symbol),
        _ => Err("a reference out of range"),
    };
    let lists = || request.timeseries.iter().flat_map(lists);
    let mut labels = Vec::with_capacity(lists().map(<[u32]>::len).sum::<usize>() / 2);
    for refs in lists() {
        let (pairs, rest) = refs.as_chunks();
        for &[name, value] in pairs {
            labels.push((symbol(name)?, symbol(value)?));
        }
        if !rest.is_empty() {
            return Err("an odd number of references");
        }
    }
    Ok(labels)
}

/// A request made of the texts, as from data of one's own.
fn symbolize<'a>(resolved: &Resolved<'a>) -> Request<'a> {
    let request = &resolved.request;
    let mut labels = resolved.labels.iter();
    let mut symbols = vec![Cow::Borrowed("")];
    let mut table = HashMap::from([("", 0)]);
    let mut intern = |text: &'a str| {
        *table.entry(text).or_insert_with(|| {
            symbols.push(Cow::Borrowed(text));
            symbols.len() as u32 - 1
        })
    };
    let text = |at: u32| match request.symbols[at as usize] {
        Cow::Borrowed(text) => text,
        Cow::Owned(_) => unreachable!("symbols borrow from the body"),
    };
    let mut timeseries = Vec::with_capacity(request.timeseries.len());
    for series in &request.timeseries {
        let mut refs = |len: usize| {
            let mut refs = Vec::with_capacity(len);
            for &(name, value) in labels.by_ref().take(len / 2) {
                refs.extend([intern(name), intern(value)]);
            }
            refs
        };
        let labels_refs = refs(series.labels_refs.len());
        let exemplars = series
            .exemplars
            .iter()
            .map(|exemplar| Exemplar { labels_refs: refs(exemplar.labels_refs.len()), ..*exemplar })
            .collect();
        let metadata = series.metadata.as_ref().map(|metadata| Metadata {
            type_pb: metadata.type_pb,
            help_ref: intern(text(metadata.help_ref)),
            unit_ref: intern(text(metadata.unit_ref)),
        });
        timeseries.push(TimeSeries {
            labels_refs,
            samples: series.samples.clone(),
            histograms: series.histograms.clone(),
            exemplars,
            metadata,
        });
    }
    Request { symbols, timeseries }
}
