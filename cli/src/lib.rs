//! The program `borrowire`, as a library so that its tests reach its parts.
//!
//! One module for each subcommand:
//!
//! | module | what it does |
//! |---|---|
//! | [`demo`] | captured requests through the whole path of a receiver, and what that costs |
//! | [`inspect`] | a body as JSON, or what validation finds in it; a file of records |
//! | [`convert`] | remote write 1.0 as 2.0, and 2.0 as 1.0; OTLP metrics as either |
//! | [`serve`] | a receiver over HTTP that counts, or stores by shard |
//! | [`send`] | bodies, files or a load for any receiver |
//! | [`kafka_records`] | a body as the records of Kafka that it becomes |
//! | [`ring`] | which partition of Kafka a key goes to |
//! | [`completions`] | completion for a shell |
//!
//! What several of them use: [`arguments`] and [`input`] (bodies out of files), [`fixtures`] (the
//! captured requests), [`json_form`] (decoded content as JSON), [`records`] (files of records),
//! [`logging`].

pub mod arguments;
mod cli;
pub mod completions;
pub mod convert;
pub mod demo;
pub mod fixtures;
pub mod input;
pub mod inspect;
pub mod json_form;
pub mod kafka_records;
pub mod logging;
pub mod records;
pub mod ring;
pub mod send;
pub mod serve;
pub mod settings;

pub use cli::Cli;
