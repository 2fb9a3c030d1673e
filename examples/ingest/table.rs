//! Aligned columns, and numbers as people read them.

use std::fmt;
use std::time::Duration;

/// Rows of text. The first `left` columns are aligned to the left, the others to the right.
pub struct Table {
    left: usize,
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub fn new(left: usize, header: Vec<String>) -> Self {
        Self { left, header, rows: Vec::new() }
    }

    pub fn push(&mut self, row: Vec<String>) {
        self.rows.push(row);
    }

    /// Rows that begin with a rule above them: the sum of the others.
    fn is_sum(&self, index: usize) -> bool {
        index > 0 && index + 1 == self.rows.len()
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = |column: usize| {
            let cells = self.rows.iter().chain([&self.header]);
            cells.filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max()
        };
        let widths: Vec<usize> = (0..).map_while(width).collect();
        let rule = "─".repeat(widths.iter().sum::<usize>() + 2 * (widths.len() - 1));
        let write_row = |f: &mut fmt::Formatter<'_>, row: &[String]| {
            let mut line = String::new();
            for (column, (cell, &width)) in row.iter().zip(&widths).enumerate() {
                let gap = if column == 0 { "" } else { "  " };
                line += &if column < self.left {
                    format!("{gap}{cell:<width$}")
                } else {
                    format!("{gap}{cell:>width$}")
                };
            }
            writeln!(f, "{}", line.trim_end())
        };
        write_row(f, &self.header)?;
        writeln!(f, "{rule}")?;
        for (index, row) in self.rows.iter().enumerate() {
            if self.is_sum(index) {
                writeln!(f, "{rule}")?;
            }
            write_row(f, row)?;
        }
        Ok(())
    }
}

/// 1234567 as `1,234,567`.
pub fn count(value: usize) -> String {
    let digits = value.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `80 B`, `2.67 kB`, `4.67 MB`.
pub fn bytes(value: usize) -> String {
    match value {
        0..1_000 => format!("{value} B"),
        1_000..1_000_000 => format!("{} kB", three_digits(value as f64 / 1e3)),
        1_000_000..1_000_000_000 => format!("{} MB", three_digits(value as f64 / 1e6)),
        _ => format!("{} GB", three_digits(value as f64 / 1e9)),
    }
}

/// `85 ns`, `12.3 µs`, `1.42 ms`.
pub fn time(value: Duration) -> String {
    let nanos = value.as_nanos() as f64;
    match value.as_nanos() {
        0..1_000 => format!("{nanos} ns"),
        1_000..1_000_000 => format!("{} µs", three_digits(nanos / 1e3)),
        1_000_000..1_000_000_000 => format!("{} ms", three_digits(nanos / 1e6)),
        _ => format!("{} s", three_digits(nanos / 1e9)),
    }
}

/// How many bytes a second: `1.87 GB/s`.
pub fn rate(amount: usize, duration: Duration) -> String {
    let per_second = amount as f64 / duration.as_secs_f64().max(1e-9);
    format!("{}/s", bytes(per_second as usize))
}

fn three_digits(value: f64) -> String {
    let decimals = if value < 10.0 {
        2
    } else if value < 100.0 {
        1
    } else {
        0
    };
    format!("{value:.decimals$}")
}
