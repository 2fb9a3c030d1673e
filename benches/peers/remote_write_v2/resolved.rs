//! What generated types lack: labels as texts, in place of references. The peers' types have the
//! same fields, but for what the macros take.

/// A request that borrows, and the names and values of all labels: those of a series, then those of
/// its exemplars.
pub struct Resolved<'a, R> {
    pub request: R,
    pub labels: Vec<(&'a str, &'a str)>,
}

impl<'a, R> Resolved<'a, R> {
    pub fn request(&self) -> &R {
        &self.request
    }

    pub fn labels(&self) -> &[(&'a str, &'a str)] {
        &self.labels
    }
}

/// The same of a request that owns its texts: `impl_owned!(Name: types::Request, str)`.
macro_rules! impl_owned {
    ($name:ident: $request:ty, $text:ty) => {
        self_cell::self_cell!(
            pub struct $name {
                owner: $request,
                #[covariant]
                dependent: Labels,
            }
        );

        type Labels<'a> = Vec<(&'a $text, &'a $text)>;

        impl $name {
            pub fn request(&self) -> &$request {
                self.borrow_owner()
            }

            pub fn labels(&self) -> &[(&$text, &$text)] {
                self.borrow_dependent()
            }
        }
    };
}
pub(super) use impl_owned;

/// The labels of a request, as a `Result`, by how a symbol is seen as text.
macro_rules! resolve {
    ($request:expr, |$symbol:ident| $text:expr) => {{
        let request = $request;
        let symbol = |at: u32| match request.symbols.get(at as usize) {
            Some($symbol) => Ok($text),
            None => Err("a reference out of range"),
        };
        let lists = || {
            request.timeseries.iter().flat_map(|series| {
                let exemplars = series.exemplars.iter().map(|exemplar| &*exemplar.labels_refs);
                std::iter::once(&*series.labels_refs).chain(exemplars)
            })
        };
        let mut labels = Vec::with_capacity(lists().map(<[u32]>::len).sum::<usize>() / 2);
        for refs in lists() {
            let (pairs, rest) = refs.as_chunks();
            for &[name, value] in pairs {
                labels.push((symbol(name)?, symbol(value)?));
            }
            if !rest.is_empty() {
                return Err("an odd number of references".into());
            }
        }
        Ok(labels)
    }};
}
pub(super) use resolve;

/// `Peer::digest` and `Peer::touch`, by the name of the field that holds the type of a metric, and
/// how the metadata of a series is found.
macro_rules! impl_reading {
    ($type:ident, |$series:ident| $metadata:expr) => {
        fn digest(resolved: &Self::Request<'_>) -> Digest {
            let mut digest = Digest::default();
            let request = resolved.request();
            let mut labels = resolved.labels().iter();
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
                    add_histogram!(digest, histogram);
                }
                let $series = series;
                if let Some(metadata) = $metadata {
                    let text = |at: u32| request.symbols[at as usize].text();
                    let (help, unit) = (text(metadata.help_ref), text(metadata.unit_ref));
                    digest.metadata(metadata.$type.number(), b"", help, unit);
                }
            }
            digest
        }

        #[inline]
        fn touch(resolved: &Self::Request<'_>) -> Touch {
            let mut touch = Touch::default();
            let mut labels = resolved.labels().iter();
            for series in &resolved.request().timeseries {
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
    };
}
pub(super) use impl_reading;

/// A function that gives the request made of the texts, as from data of one's own, to another.
macro_rules! impl_symbolizing {
    (
        $types:ident,
        $type:ident,
        text: |$symbol:ident| $text:expr,
        symbol: |$owned:ident: &$kind:ty| $own:expr,
        metadata: |$series:ident| $metadata:expr,
        set_metadata: |$new:ident, $value:ident| $set:expr $(,)?
    ) => {
        #[allow(clippy::needless_update, reason = "some types have fields of their own")]
        fn symbolized<T>(
            resolved: &<Self as Peer>::Request<'_>,
            read: impl FnOnce(&$types::Request) -> T,
        ) -> T {
            let request = resolved.request();
            let mut labels = resolved.labels().iter();
            let text = |at: u32| {
                let $symbol = &request.symbols[at as usize];
                $text
            };
            let $owned: &$kind = Default::default();
            let mut symbols = vec![$own];
            let mut table = HashMap::from([($owned, 0)]);
            let mut intern = |$owned| {
                *table.entry($owned).or_insert_with(|| {
                    symbols.push($own);
                    symbols.len() as u32 - 1
                })
            };
            let mut timeseries = Vec::with_capacity(request.timeseries.len());
            for $series in &request.timeseries {
                let mut refs = |len: usize| {
                    let mut refs = Vec::with_capacity(len);
                    for &(name, value) in labels.by_ref().take(len / 2) {
                        refs.extend([intern(name), intern(value)]);
                    }
                    refs.into()
                };
                let labels_refs = refs($series.labels_refs.len());
                let exemplars = $series.exemplars.iter().map(|exemplar| $types::Exemplar {
                    labels_refs: refs(exemplar.labels_refs.len()),
                    value: exemplar.value,
                    timestamp: exemplar.timestamp,
                    ..Default::default()
                });
                #[allow(unused_mut, reason = "some set the metadata right here")]
                let mut $new = $types::TimeSeries {
                    labels_refs,
                    exemplars: exemplars.collect(),
                    samples: $series.samples.clone(),
                    histograms: $series.histograms.clone(),
                    ..Default::default()
                };
                let $value = $metadata.map(|metadata| $types::Metadata {
                    $type: metadata.$type,
                    help_ref: intern(text(metadata.help_ref)),
                    unit_ref: intern(text(metadata.unit_ref)),
                    ..Default::default()
                });
                $set;
                timeseries.push($new);
            }
            read(&$types::Request { symbols: symbols.into(), timeseries: timeseries.into() })
        }
    };
}
pub(super) use impl_symbolizing;
