//! What a gateway puts into Kafka, against what Grafana's databases put there.

mod any_bytes;
mod golden;
mod loki;
mod mimir;
mod otlp;
mod ring;
