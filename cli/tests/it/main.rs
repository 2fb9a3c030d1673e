//! The program `borrowire`: its command lines as they are run, and its receiver over real
//! connections.

mod support;

mod command_line;
mod convert;
mod demo;
mod faults;
mod hostile;
mod inspect;
mod kafka_records;
mod receiver;
mod records;
mod ring;
mod send;
mod sink;
