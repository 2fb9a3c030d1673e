//! Pictures of what was measured.

use std::error::Error;
use std::path::Path;

use plotters::coord::Shift;
use plotters::coord::ranged1d::{AsRangedCoord, ValueFormatter};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::report::Report;
use crate::scale::{LINES, OWN_LINES, SIZES};
use crate::stages::BORROWIRE;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Result<T = ()> = std::result::Result<T, Box<dyn Error>>;

const FONT: &str = "sans-serif";
const OURS: RGBColor = RGBColor(0xc8, 0x4b, 0x11);
const THEIRS: RGBColor = RGBColor(0xb4, 0xbc, 0xc6);
const INK: RGBColor = RGBColor(0x22, 0x2b, 0x36);
const FAINT: RGBColor = RGBColor(0x6b, 0x77, 0x85);
/// Those of the lines over size.
const COLORS: [RGBColor; LINES.len()] = [
    RGBColor(0x6a, 0x3d, 0x9a),
    RGBColor(0x1f, 0x78, 0xb4),
    OURS,
    RGBColor(0x2e, 0x8b, 0x57),
    RGBColor(0xe0, 0xa8, 0x00),
    RGBColor(0xa0, 0xa8, 0xb3),
];

/// The stages beside each other, by their names in reports and in the picture.
const STAGES: [(&str, &str); 2] = [("decode_reused", "Decode"), ("encode", "Encode")];

/// From top to bottom.
const IMPLEMENTATIONS: [&str; 6] =
    [BORROWIRE, "buffa", "quick-protobuf", "prost-bytes", "prost-string", "micropb"];

const WIDTH: i32 = 960;
const MARGIN: i32 = 16;
/// Of a stage.
const COLUMN: i32 = WIDTH / STAGES.len() as i32;
/// The title and the names of the columns.
const HEAD: i32 = 80;
/// The title of a payload.
const TITLE: i32 = 30;
const BAR: i32 = 14;
const NAMES: i32 = 100;
const VALUES: i32 = 44;
/// A payload.
const ROW: i32 = TITLE + BAR * IMPLEMENTATIONS.len() as i32;

/// A row for each payload, a column for each stage, a bar for each implementation.
///
/// The bars of each payload and stage have a scale of their own: between payloads there is an order
/// of magnitude.
pub fn throughput(path: &Path, reports: &[Report]) -> Result {
    let height = HEAD + ROW * reports.len() as i32 + MARGIN;
    let area = new(path, height, "Throughput in GB/s: the same bytes, in one run")?;
    let how = "Decoding into storage that is used again, where there is such a thing; labels of \
               remote write 2.0 are resolved to text.";
    text(&area, how, (MARGIN, 42), 12, FAINT, HPos::Left)?;
    for ((stage, name), column) in STAGES.into_iter().zip(0..) {
        let left = column * COLUMN + MARGIN;
        text(&area, name, (left, HEAD - 12), 15, INK, HPos::Left)?;
        for (report, row) in reports.iter().zip(0..) {
            bars(&area, report, stage, (left, HEAD + row * ROW))?;
        }
    }
    area.present()?;
    Ok(())
}

/// The bars of one payload and stage.
fn bars(area: &Area<'_>, report: &Report, stage: &str, (left, top): (i32, i32)) -> Result {
    let name = report.file.strip_prefix(report.message.prefix).unwrap_or(&report.file);
    let name = name.trim_end_matches(".bin").trim_start_matches('_').replace('_', " ");
    let title = format!("{}, {name}, {}", report.message.name, size(report.bytes));
    text(area, &title, (left, top + TITLE / 2 + 2), 12, FAINT, HPos::Left)?;

    let bytes_per_ns = IMPLEMENTATIONS.map(|implementation| {
        let measured = report.find(stage, implementation);
        measured.map_or(0.0, |measured| report.bytes as f64 / measured.min_ns)
    });
    let best = bytes_per_ns.into_iter().fold(0.0, f64::max);
    let start = left + NAMES;
    let room = f64::from(COLUMN - 2 * MARGIN - NAMES - VALUES);
    for ((name, speed), bar) in IMPLEMENTATIONS.into_iter().zip(bytes_per_ns).zip(0..) {
        let color = if name == BORROWIRE { OURS } else { THEIRS };
        let (top, end) = (top + TITLE + bar * BAR, start + (room * speed / best) as i32);
        let bar = Rectangle::new([(start, top + 1), (end, top + BAR - 2)], color.filled());
        area.draw(&bar)?;
        text(area, name, (start - 6, top + BAR / 2), 11, INK, HPos::Right)?;
        text(area, &format!("{speed:.2}"), (end + 4, top + BAR / 2), 11, INK, HPos::Left)?;
    }
    Ok(())
}

/// Time over the number of series, and the time of each.
pub fn scale(path: &Path, reports: &[(usize, Report)]) -> Result {
    let area = new(path, 420, "Requests of remote write 1.0, from 100 to 1,000,000 series")?;
    let (_, below) = area.split_vertically(36);
    let (left, right) = below.split_horizontally(WIDTH / 2);

    let times = LINES.map(|(stage, implementation, _)| {
        let time = |(series, report): &(usize, Report)| {
            Some((*series as f64, report.find(stage, implementation)?.min_ns))
        };
        reports.iter().filter_map(time).collect::<Vec<_>>()
    });
    let of_each = times
        .clone()
        .map(|line| line.into_iter().map(|(series, ns)| (series, ns / series)).collect::<Vec<_>>());
    // The others would flatten this crate's lines in what has no logarithmic scale.
    let of_each = of_each[..OWN_LINES].to_vec();
    let longest = of_each.iter().flatten().map(|point| point.1).fold(0.0, f64::max);
    lines(&left, "Time of a request", (1e3..1e10).log_scale(), &times)?;
    lines(&right, "Time of each series, borrowire alone", 0.0..longest * 1.1, &of_each)?;
    area.present()?;
    Ok(())
}

/// The first lines of [`LINES`] in one diagram.
fn lines<Y>(area: &Area<'_>, title: &str, y: Y, lines: &[Vec<(f64, f64)>]) -> Result
where
    Y: AsRangedCoord<Value = f64, CoordDescType: ValueFormatter<f64>>,
{
    let label = |size: u32, color: &RGBColor| (FONT, size).into_font().color(color);
    let (first, last) = (SIZES[0] as f64, SIZES[SIZES.len() - 1] as f64);
    let mut chart = ChartBuilder::on(area)
        .caption(title, label(14, &INK))
        .margin(MARGIN)
        .margin_right(2 * MARGIN)
        .x_label_area_size(24)
        .y_label_area_size(48)
        .build_cartesian_2d((first..last).log_scale(), y)?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(THEIRS.mix(0.5))
        .axis_style(FAINT)
        .label_style(label(11, &INK))
        .x_label_formatter(&|series| count(*series))
        .y_label_formatter(&|ns| duration(*ns))
        .draw()?;
    for ((points, (_, _, name)), color) in lines.iter().zip(LINES).zip(COLORS) {
        let style = color.stroke_width(2);
        let points = points.iter().copied();
        chart
            .draw_series(LineSeries::new(points, style).point_size(3))?
            .label(name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], style));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .label_font(label(12, &INK))
        .background_style(WHITE)
        .draw()?;
    Ok(())
}

/// A picture with a title.
fn new<'a>(path: &'a Path, height: i32, title: &str) -> Result<Area<'a>> {
    let size = (WIDTH.cast_unsigned(), height.cast_unsigned());
    let area = SVGBackend::new(path, size).into_drawing_area();
    area.fill(&WHITE)?;
    text(&area, title, (MARGIN, 18), 17, INK, HPos::Left)?;
    Ok(area)
}

fn text(
    area: &Area<'_>,
    text: &str,
    at: (i32, i32),
    size: u32,
    color: RGBColor,
    side: HPos,
) -> Result {
    let style = (FONT, size).into_font().color(&color).pos(Pos::new(side, VPos::Center));
    area.draw(&Text::new(text, at, style))?;
    Ok(())
}

fn size(bytes: usize) -> String {
    scaled(bytes as f64, [(1e6, " MB"), (1e3, " kB"), (1.0, " B")])
}

fn count(series: f64) -> String {
    scaled(series, [(1e6, "M"), (1e3, "k"), (1.0, "")])
}

fn duration(ns: f64) -> String {
    scaled(ns, [(1e9, " s"), (1e6, " ms"), (1e3, " us"), (1.0, " ns")])
}

/// A number in the largest unit that it has one of, to a tenth.
fn scaled<const N: usize>(number: f64, units: [(f64, &str); N]) -> String {
    let unit = units.into_iter().find(|unit| number >= unit.0);
    let (one, name) = unit.unwrap_or(units[N - 1]);
    format!("{}{name}", (number / one * 10.0).round() / 10.0)
}
