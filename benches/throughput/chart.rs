//! Pictures of what was measured.

use std::error::Error;
use std::ops::Range;
use std::path::Path;

use plotters::coord::Shift;
use plotters::coord::ranged1d::{AsRangedCoord, ValueFormatter};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::report::{Report, duration};
use crate::scale::{LINES, SIZES};
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
    RGBColor(0xa0, 0xa8, 0xb3),
    RGBColor(0x6a, 0x3d, 0x9a),
    RGBColor(0x1f, 0x78, 0xb4),
    OURS,
    RGBColor(0x2e, 0x8b, 0x57),
    RGBColor(0xe0, 0xa8, 0x00),
];

/// The stages beside each other, by their names in reports and in the picture.
const STAGES: [(&str, &str); 2] = [("decode_reused", "Decode"), ("encode", "Encode")];

/// From top to bottom.
const IMPLEMENTATIONS: [&str; 6] =
    [BORROWIRE, "buffa", "quick-protobuf", "prost-bytes", "prost-string", "micropb"];

const WIDTH: u32 = 960;
const MARGIN: i32 = 16;
const HEAD: i32 = 64;
const BAR: i32 = 14;
/// A payload's title and the space above it.
const TITLE: i32 = 34;
const PANEL: i32 = TITLE + BAR * IMPLEMENTATIONS.len() as i32;

/// A row for each payload, a column for each stage, a bar for each implementation.
///
/// Each payload and stage has a scale of its own: between payloads there is an order of magnitude.
pub fn throughput(path: &Path, reports: &[Report]) -> Result {
    let height = HEAD + PANEL * reports.len() as i32 + MARGIN;
    let area = SVGBackend::new(path, (WIDTH, height.cast_unsigned())).into_drawing_area();
    area.fill(&WHITE)?;
    text(
        &area,
        "Throughput in GB/s of protobuf, on the same bytes in one run",
        (MARGIN, 14),
        17,
        INK,
        HPos::Left,
    )?;
    let column = WIDTH.cast_signed() / STAGES.len() as i32;
    for ((stage, title), left) in STAGES.into_iter().zip((0..).step_by(column as usize)) {
        text(&area, title, (left + MARGIN, HEAD - 14), 15, INK, HPos::Left)?;
        for (report, top) in reports.iter().zip((HEAD..).step_by(PANEL as usize)) {
            panel(&area, report, stage, (left + MARGIN..left + column - MARGIN, top))?;
        }
    }
    area.present()?;
    Ok(())
}

/// The bars of one payload and stage.
fn panel(area: &Area<'_>, report: &Report, stage: &str, (x, top): (Range<i32>, i32)) -> Result {
    const NAMES: i32 = 100;
    const VALUES: i32 = 44;

    let name = report.file.trim_end_matches(".bin");
    let title = format!("{name}, {}", size(report.bytes));
    text(area, &title, (x.start, top + TITLE - 12), 12, FAINT, HPos::Left)?;

    let bytes_per_ns = |implementation: &str| {
        Some(report.bytes as f64 / report.find(stage, implementation)?.min_ns)
    };
    let speeds = IMPLEMENTATIONS.map(|name| bytes_per_ns(name).unwrap_or(0.0));
    let best = speeds.into_iter().fold(0.0, f64::max);
    let room = f64::from(x.end - x.start - NAMES - VALUES);
    let start = x.start + NAMES;
    for ((name, speed), top) in
        IMPLEMENTATIONS.into_iter().zip(speeds).zip((top + TITLE..).step_by(BAR as usize))
    {
        let color = if name == BORROWIRE { OURS } else { THEIRS };
        let end = start + (room * speed / best).round() as i32;
        let middle = top + BAR / 2;
        area.draw(&Rectangle::new([(start, top + 1), (end, top + BAR - 2)], color.filled()))?;
        text(area, name, (start - 6, middle), 11, INK, HPos::Right)?;
        text(area, &format!("{speed:.2}"), (end + 4, middle), 11, INK, HPos::Left)?;
    }
    Ok(())
}

/// Time over the number of series, and the time of each.
pub fn scale(path: &Path, reports: &[(usize, Report)]) -> Result {
    let area = SVGBackend::new(path, (WIDTH, 420)).into_drawing_area();
    area.fill(&WHITE)?;
    let title = "Requests of remote write 1.0, from 100 to 1,000,000 series";
    text(&area, title, (MARGIN, 16), 17, INK, HPos::Left)?;
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
    let longest = of_each.iter().flatten().map(|point| point.1).fold(0.0, f64::max);
    lines(&left, "Time of a request", (1e3..1e10).log_scale(), &times)?;
    lines(&right, "Time of each series", 0.0..longest * 1.1, &of_each)?;
    area.present()?;
    Ok(())
}

/// The lines of [`LINES`] in one diagram.
fn lines<Y>(area: &Area<'_>, title: &str, y: Y, lines: &[Vec<(f64, f64)>]) -> Result
where
    Y: AsRangedCoord<Value = f64, CoordDescType: ValueFormatter<f64>>,
{
    let label = |size: u32, color: &RGBColor| (FONT, size).into_font().color(color);
    let (first, last) = (SIZES[0] as f64, SIZES[SIZES.len() - 1] as f64);
    let mut chart = ChartBuilder::on(area)
        .caption(title, label(14, &INK))
        .margin(MARGIN)
        .x_label_area_size(24)
        .y_label_area_size(56)
        .build_cartesian_2d((first..last).log_scale(), y)?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(THEIRS.mix(0.5))
        .axis_style(FAINT)
        .label_style(label(11, &INK))
        .x_label_formatter(&|series| format!("{series}"))
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
    match bytes as f64 {
        bytes if bytes < 1e3 => format!("{bytes} B"),
        bytes if bytes < 1e6 => format!("{:.1} kB", bytes / 1e3),
        bytes => format!("{:.1} MB", bytes / 1e6),
    }
}
