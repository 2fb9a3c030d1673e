//! Builds again when a captured request comes or goes: those that are there are embedded.

fn main() {
    println!("cargo::rerun-if-changed=../tests/fixtures");
}
