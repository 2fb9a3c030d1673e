//! Tokens, splitting, relabelling and merging allocate nothing after a first request of the size.

use std::hint::black_box;

use borrowire::Encode;
use borrowire::loki::{LokiTokens, PushRequest};
use borrowire::remote_write::v1::{Relabeler, WriteBatch, WriteRequest};
use borrowire::remote_write::v2::{self, Request};
use borrowire::remote_write::{Label, MimirTokens, Sample, ThanosTokens, labels_hash};
use borrowire::shard::{Merger, Splitter, StableTokens};

use crate::{bytes, heap};

pub fn run() {
    let _profiler = heap::profiler();
    let small: Vec<_> = bytes::small_bodies().into_iter().map(|(_, body)| body).collect();
    // The longest label is longer than what a token gathers at once.
    let long = bytes::series(&[("long", &"x".repeat(20_000))], &[(1.0, 1)]);
    let body = [small.concat().repeat(50), bytes::request(&[long])].concat();
    let request = WriteRequest::decode(&body).unwrap();
    let pushes: Vec<_> = bytes::loki::small_bodies().into_iter().map(|(_, body)| body).collect();
    let push_body = pushes.concat().repeat(20);
    let push = PushRequest::decode(&push_body).unwrap();

    let mut tokens = (Vec::new(), Vec::new(), Vec::new());
    no_blocks("tokens", || {
        MimirTokens::new("tenant").tokens(&request, &mut tokens.0);
        MimirTokens::cortex("tenant").tokens(&request, &mut tokens.0);
        StableTokens::new("tenant").tokens(&request, &mut tokens.1);
        LokiTokens::new("tenant").tokens(&push, &mut tokens.2);
        for series in request.timeseries() {
            black_box([
                labels_hash(series.labels()),
                ThanosTokens::new("tenant").series(series.labels()),
                StableTokens::new("tenant").series(series.labels()),
                MimirTokens::new("tenant").series(series.labels()).into(),
            ]);
        }
    });

    let mut splitter = Splitter::new();
    let mut out = vec![0; 2 * body.len() + (64 << 10)];
    let (by_mimir, by_loki) = (MimirTokens::new("tenant"), LokiTokens::new("tenant"));
    no_blocks("split", || {
        let mut split = splitter.split(&request, |record| by_mimir.token(&record) % 16);
        split.parts().for_each(|(_, part)| assert!(part.encode(&mut out).is_ok()));
        // Shard numbers as large as they get.
        let mut split = splitter.split(&request, |record| by_mimir.token(&record) | 1 << 31);
        split.encode_all(&mut out).unwrap();
        let mut split = splitter.replicate(&request, |record| {
            let token = by_mimir.token(&record);
            [token % 5, token % 7, token % 11]
        });
        split.parts().for_each(|(_, part)| assert!(part.encode(&mut out).is_ok()));
        let mut split = splitter.split(&push, |stream| by_loki.token(&stream) % 16);
        split.parts().for_each(|(_, part)| assert!(part.encode(&mut out).is_ok()));
    });
    no_blocks("split by size", || {
        let mut split = splitter.split_by_size(&request, 1000);
        assert_eq!(split.oversized().len(), 1);
        split.parts().for_each(|(_, part)| assert!(part.encode(&mut out).is_ok()));
        split.encode_all(&mut out).unwrap();
    });

    let of_v2: Vec<_> = bytes::v2::small_bodies()
        .into_iter()
        .map(|(_, body)| body)
        .chain([bytes::v2::request(&["", "a", "b"], &vec![bytes::v2::refs(&[1, 2]); 500])])
        .collect();
    let of_v2: Vec<_> = of_v2.iter().filter_map(|body| Request::decode(body).ok()).collect();
    let mut splitter = Splitter::new();
    no_blocks("split of 2.0", || {
        for request in &of_v2 {
            let mut at = 0_u32..;
            let mut split = splitter.split(request, |_| at.next().unwrap_or(0) % 3);
            split.parts().for_each(|(_, part)| assert!(part.encode(&mut out).is_ok()));
            let mut split = splitter.split_by_size(request, 100);
            split.parts().for_each(|(_, part)| assert!(part.encode(&mut out).is_ok()));
        }
    });

    let mut relabeler = Relabeler::new();
    no_blocks("relabel", || {
        let mut relabeled = relabeler.relabel(&request, |series, labels| {
            labels.remove("job");
            labels.set("cluster", "eu-1");
            labels.set("region", "eu");
            series.metric_name() != Some("up")
        });
        relabeled.encode(&mut out).unwrap();
        let request = relabeled.request();
        MimirTokens::new("tenant").tokens(&*request, &mut tokens.0);
        splitter.split_by_position(&*request, |at| tokens.0[at] % 16).encode_all(&mut out).unwrap();
    });

    let mut relabeler = v2::Relabeler::new();
    no_blocks("relabel 2.0", || {
        for request in &of_v2 {
            let mut relabeled = relabeler.relabel(request, |_, labels| {
                labels.remove("a");
                labels.set("cluster", "eu-1");
                true
            });
            relabeled.encode(&mut out).unwrap();
            let request = relabeled.request();
            MimirTokens::new("tenant").tokens(&*request, &mut tokens.0);
            splitter
                .split_by_position(&*request, |at| tokens.0[at] % 16)
                .encode_all(&mut out)
                .unwrap();
        }
    });

    let names: Vec<String> = (0..500).map(|n| format!("metric_{}", n % 300)).collect();
    let mut batch = WriteBatch::new();
    no_blocks("batch", || {
        for name in &names {
            let labels = [Label::new("job", "node"), Label::new("__name__", name)];
            batch.push(&labels, Sample::new(1.0, 1));
        }
        batch.encode(&mut out).unwrap();
        assert_eq!(batch.request().unwrap().timeseries().len(), 300);
        batch.clear();
    });

    // Its storage changes lifetime, as that of a request does.
    let mut merger = Merger::<WriteRequest<'_>>::new();
    no_blocks("merge", || {
        let bodies: [&[u8]; 3] = [&small[0], &small[1], &small[3]];
        merger = std::mem::take(&mut merger).recycle();
        for _ in 0..20 {
            merger.extend(bodies).unwrap();
        }
        merger.encode(&mut out).unwrap();
    });
}

/// Runs `run` to warm up, then again, without an allocation.
fn no_blocks(what: &str, mut run: impl FnMut()) {
    run();
    assert_eq!(heap::blocks(&mut run), 0, "{what}");
}
