//! What a gateway puts into Kafka, against what Grafana's databases put there.

mod golden;
mod mimir;
mod ring;
