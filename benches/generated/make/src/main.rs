//! Makes the types in `benches/generated` and `tests/it/support/proto` from the schemas in `proto/`:
//!
//! ```text
//! cargo run --manifest-path benches/generated/make/Cargo.toml
//! ```
//!
//! The compiler is protox, so no `protoc` has to be installed.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs, process};

use buffa::Message as _;
use buffa_codegen::CodeGenConfig;
use buffa_codegen::generated::descriptor;
use prost::Message as _;
use protox::prost_reflect::prost_types::FileDescriptorSet;
use protox::prost_reflect::prost_types::field_descriptor_proto::Type;

type Result<T = ()> = std::result::Result<T, Box<dyn Error>>;

/// What the benchmarks read.
const BENCHED: [&str; 3] = ["prometheus_v1", "prometheus_v2", "loki_push"];

/// What the benchmarks read with views alone: schemas in several files, in the order of their imports.
const VIEWED: [(&str, &[&str]); 2] = [
    ("otlp_metrics", &["otlp_common", "otlp_resource", "otlp_metrics", "otlp_collector_metrics"]),
    ("otlp_logs", &["otlp_common", "otlp_resource", "otlp_logs", "otlp_collector_logs"]),
];

/// What the tests compare with, beside the types that the library makes for its users.
const TESTED: [&str; 2] = ["cortexpb", "mimirpb"];

fn main() -> Result {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..").canonicalize()?;
    let (benches, tests) = (root.join("benches/generated"), root.join("tests/it/support/proto"));
    for name in BENCHED {
        let schema = Schema::new(&root, name, &[name])?;
        schema.write(&benches.join("buffa"), buffa(&schema)?)?;
        schema.write(&benches.join("micropb"), micropb(&schema)?)?;
        schema.write(&benches.join("prost_bytes"), prost_bytes(&schema)?)?;
        schema.write(&benches.join("quick_protobuf"), quick_protobuf(&schema)?)?;
    }
    for (name, files) in VIEWED {
        let schema = Schema::new(&root, name, files)?;
        schema.write(&benches.join("buffa"), buffa(&schema)?)?;
    }
    for name in TESTED {
        let schema = Schema::new(&root, name, &[name])?;
        schema.write(&tests, prost(&schema, schema.set.clone(), prost_build::Config::new())?)?;
    }
    Ok(())
}

/// A schema without a package and without imports, for which each generator makes one file.
struct Schema {
    name: &'static str,
    set: FileDescriptorSet,
    /// A directory of its own, with the schema in it: most generators read and write files. It is gone when
    /// this is.
    scratch: PathBuf,
}

impl Schema {
    fn new(root: &Path, name: &'static str, files: &[&str]) -> Result<Self> {
        let mut text = String::from("syntax = \"proto3\";\n");
        for file in files {
            let file = fs::read_to_string(root.join(format!("proto/{file}.proto")))?;
            let is_of_a_file =
                |line: &str| ["syntax ", "package ", "import "].iter().any(|it| line.starts_with(it));
            text.extend(file.lines().filter(|line| !is_of_a_file(line)).map(|line| format!("{line}\n")));
        }
        for package in ["common", "resource", "metrics", "logs"] {
            text = text.replace(&format!("opentelemetry.proto.{package}.v1."), "");
        }
        // As prost names it, so that the benchmarks find a field by one name.
        text = text.replace("structuredMetadata", "structured_metadata");
        if text.contains("google.protobuf.Timestamp") {
            text = text.replace("google.protobuf.Timestamp", "Timestamp");
            text.push_str("\nmessage Timestamp {\n  int64 seconds = 1;\n  int32 nanos = 2;\n}\n");
        }
        let scratch = env::temp_dir().join(format!("borrowire-{}-{name}", process::id()));
        fs::create_dir_all(&scratch)?;
        let file = scratch.join("schema.proto");
        fs::write(&file, text)?;
        let set = protox::compile([file], [&scratch])?;
        fs::write(scratch.join("set.bin"), set.encode_to_vec())?;
        Ok(Self { name, set, scratch })
    }

    fn write(&self, directory: &Path, content: String) -> Result {
        fs::create_dir_all(directory)?;
        let notice =
            format!("// @generated from proto/{}.proto by benches/generated/make\n", self.name);
        Ok(fs::write(directory.join(format!("{}.rs", self.name)), notice + &content)?)
    }
}

impl Drop for Schema {
    fn drop(&mut self) {
        _ = fs::remove_dir_all(&self.scratch);
    }
}

/// Borrowed views, with owned types beside them. Unknown fields are dropped, as all others do.
fn buffa(schema: &Schema) -> Result<String> {
    let set = descriptor::FileDescriptorSet::decode_from_slice(&schema.set.encode_to_vec())?;
    let mut config = CodeGenConfig::default();
    config.generate_views = true;
    config.preserve_unknown_fields = false;
    config.file_per_package = true;
    let files = buffa_codegen::generate(&set.file, &["schema.proto".into()], &config)?;
    Ok(files.into_iter().map(|file| file.content).collect())
}

/// Owned types of vectors and strings. Without `encode_cache`, which makes encoding slower: it
/// allocates.
fn micropb(schema: &Schema) -> Result<String> {
    let mut generator = micropb_gen::Generator::new();
    generator.use_container_std().comments_to_docs(false);
    generator.configure(".", micropb_gen::Config::new().no_accessors(true));
    let output = schema.scratch.join("micropb.rs");
    generator
        .compile_fdset_file(schema.scratch.join("set.bin"), &output)
        .map_err(|error| error.to_string())?;
    Ok(fs::read_to_string(output)?)
}

/// Every `string` made `bytes`: what prost does without copies and UTF-8 checks.
fn prost_bytes(schema: &Schema) -> Result<String> {
    let mut set = schema.set.clone();
    let messages = set.file.iter_mut().flat_map(|file| &mut file.message_type);
    for field in messages.flat_map(|message| &mut message.field) {
        if field.r#type() == Type::String {
            field.set_type(Type::Bytes);
        }
    }
    let mut config = prost_build::Config::new();
    config.bytes(["."]);
    prost(schema, set, config)
}

fn prost(
    schema: &Schema,
    set: FileDescriptorSet,
    mut config: prost_build::Config,
) -> Result<String> {
    config.out_dir(&schema.scratch).default_package_filename("prost");
    config.compile_fds(set)?;
    Ok(fs::read_to_string(schema.scratch.join("prost.rs"))?)
}

/// Borrowed strings.
///
/// Packed doubles are read one by one: pb-rs makes a `&[f64]` of the bytes wherever they lie, which is
/// undefined behaviour when misaligned, and aborts a debug build.
fn quick_protobuf(schema: &Schema) -> Result<String> {
    let (input, output) = (schema.scratch.join("schema.proto"), schema.scratch.join("quick.rs"));
    let includes = [schema.scratch.clone()];
    let config = pb_rs::ConfigBuilder::new(&[input], Some(&output), None, &includes)?;
    let config = config.headers(false).single_module(true).build();
    pb_rs::types::FileDescriptor::run(&config)?;
    let one_by_one = "r.read_packed(bytes, |r, bytes| r.read_double(bytes))?.into()";
    Ok(fs::read_to_string(output)?
        .replace("r.read_packed_fixed(bytes)?.into()", one_by_one)
        .replacen("use super::*;\n", "", 1)
        // The module that it takes the file to be.
        .replace("schema::", ""))
}
