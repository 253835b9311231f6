//! Follows the operators of a page that show text, by chapter 9 of ISO 32000-1.

use super::font::Font;
use super::layout::Layout;
use super::matrix::Matrix;
use super::objects::{dictionary, number};
use lopdf::content::{Content, Operation};
use lopdf::{Dictionary, Document, Object, ObjectId};
use std::collections::HashMap;
use std::rc::Rc;

/// Depth of forms within forms.
const MAX_DEPTH: usize = 8;
/// Operators of a page, those of its forms included.
const MAX_OPERATORS: usize = 5_000_000;
/// Bytes that the operators of a page, or of a form, may have: read, they take many times the memory.
const MAX_CONTENT: usize = 8 << 20;
/// Bytes of text of a page.
const MAX_TEXT: usize = 8 << 20;
/// Displacement within a string that is a space, in thousandths of the size of the font: kerning is less.
const SPACE: f32 = 160.0;

type Fonts<'a> = HashMap<Vec<u8>, Rc<Font<'a>>>;

#[derive(Debug)]
pub(super) struct PageReader<'a> {
    document: &'a Document,
    layout: Layout,
    operators_left: usize,
}

/// What the operators of text change.
#[derive(Debug, Clone)]
struct State<'a> {
    map: Matrix,
    font: Option<Rc<Font<'a>>>,
    size: f32,
    leading: f32,
    rise: f32,
    stretch: f32,
    between_chars: f32,
    between_words: f32,
}

impl State<'_> {
    fn new(map: Matrix) -> Self {
        Self {
            map,
            font: None,
            size: 0.0,
            leading: 0.0,
            rise: 0.0,
            stretch: 1.0,
            between_chars: 0.0,
            between_words: 0.0,
        }
    }
}

/// Where text is shown: at the beginning of the line, and now.
#[derive(Debug, Clone, Copy)]
struct Cursor {
    line: Matrix,
    now: Matrix,
}

impl Cursor {
    const fn at(place: Matrix) -> Self {
        Self { line: place, now: place }
    }

    fn moved(&self, x: f32, y: f32) -> Self {
        Self::at(Matrix::moved(x, y).then(&self.line))
    }
}

impl<'a> PageReader<'a> {
    pub(super) fn new(document: &'a Document) -> Self {
        Self { document, layout: Layout::default(), operators_left: MAX_OPERATORS }
    }

    /// Returns the text of a page; empty if it cannot be read.
    pub(super) fn read(mut self, page: ObjectId) -> String {
        let document = self.document;
        if let Ok(content) = document.get_page_content_with_limit(page, MAX_CONTENT) {
            let (own, inherited) = document.get_page_resources(page).unwrap_or_default();
            let inherited = inherited.into_iter().filter_map(|id| document.get_dictionary(id).ok());
            let resources: Vec<&Dictionary> = own.into_iter().chain(inherited).collect();
            self.run(&content, &resources, Matrix::IDENTITY, 0);
        }
        self.layout.finish()
    }

    fn fonts(&self, resources: &[&'a Dictionary]) -> Fonts<'a> {
        let mut fonts = Fonts::new();
        for resource in resources {
            let own = resource.get(b"Font").ok().and_then(|fonts| dictionary(self.document, fonts));
            for (name, font) in own.into_iter().flat_map(Dictionary::iter) {
                let font = dictionary(self.document, font).and_then(|font| Font::of(self.document, font));
                if let Some(font) = font {
                    fonts.entry(name.clone()).or_insert_with(|| Rc::new(font));
                }
            }
        }
        fonts
    }

    fn run(&mut self, content: &[u8], resources: &[&'a Dictionary], map: Matrix, depth: usize) {
        let Ok(content) = Content::decode(content) else { return };
        let fonts = self.fonts(resources);
        let mut state = State::new(map);
        let mut saved: Vec<State<'a>> = Vec::new();
        let mut cursor = Cursor::at(Matrix::IDENTITY);
        for operation in &content.operations {
            if self.operators_left == 0 || self.layout.len() > MAX_TEXT {
                return;
            }
            self.operators_left -= 1;
            match operation.operator.as_str() {
                "q" => saved.push(state.clone()),
                "Q" => state = saved.pop().unwrap_or(state),
                "cm" => state.map = self.matrix(operation).then(&state.map),
                "BT" => cursor = Cursor::at(Matrix::IDENTITY),
                "Tf" => {
                    let name = operation.operands.first().and_then(|name| name.as_name().ok());
                    state.font = name.and_then(|name| fonts.get(name)).cloned();
                    state.size = self.operand(operation, 1);
                }
                "TL" => state.leading = self.operand(operation, 0),
                "Ts" => state.rise = self.operand(operation, 0),
                "Tz" => state.stretch = self.operand(operation, 0) / 100.0,
                "Tc" => state.between_chars = self.operand(operation, 0),
                "Tw" => state.between_words = self.operand(operation, 0),
                "Td" => cursor = cursor.moved(self.operand(operation, 0), self.operand(operation, 1)),
                "TD" => {
                    state.leading = -self.operand(operation, 1);
                    cursor = cursor.moved(self.operand(operation, 0), self.operand(operation, 1));
                }
                "Tm" => cursor = Cursor::at(self.matrix(operation)),
                "T*" => cursor = cursor.moved(0.0, -state.leading),
                "Tj" => self.show(operation.operands.first(), &state, &mut cursor),
                "TJ" => self.show_all(operation.operands.first(), &state, &mut cursor),
                "'" => {
                    cursor = cursor.moved(0.0, -state.leading);
                    self.show(operation.operands.first(), &state, &mut cursor);
                }
                "\"" => {
                    (state.between_words, state.between_chars) =
                        (self.operand(operation, 0), self.operand(operation, 1));
                    cursor = cursor.moved(0.0, -state.leading);
                    self.show(operation.operands.get(2), &state, &mut cursor);
                }
                "Do" if depth < MAX_DEPTH => self.form(operation, resources, state.map, depth),
                _ => {}
            }
        }
    }

    /// Reads a form, which is a page within the page; an image has no text.
    fn form(&mut self, operation: &Operation, resources: &[&'a Dictionary], map: Matrix, depth: usize) {
        let document = self.document;
        let Some(name) = operation.operands.first().and_then(|name| name.as_name().ok()) else { return };
        let named = |resource: &&'a Dictionary| {
            let forms = dictionary(document, resource.get(b"XObject").ok()?)?;
            document.dereference(forms.get(name).ok()?).ok()?.1.as_stream().ok()
        };
        let Some(form) = resources.iter().find_map(named) else { return };
        if !form.dict.get(b"Subtype").and_then(Object::as_name).is_ok_and(|kind| kind == b"Form") {
            return;
        }
        let content = match form.decompressed_content_with_limit(MAX_CONTENT) {
            Ok(content) => content,
            Err(_) if form.dict.get(b"Filter").is_err() && form.content.len() <= MAX_CONTENT => {
                form.content.clone()
            }
            Err(_) => return,
        };
        let own = form.dict.get(b"Resources").ok().and_then(|own| dictionary(document, own));
        let own: Vec<&Dictionary> = own.map_or_else(|| resources.to_vec(), |own| vec![own]);
        let matrix = form.dict.get(b"Matrix").and_then(Object::as_array).ok();
        let matrix = matrix.map_or(Matrix::IDENTITY, |numbers| self.matrix_of(numbers));
        self.run(&content, &own, matrix.then(&map), depth + 1);
    }

    /// Shows strings and moves between them.
    fn show_all(&mut self, operand: Option<&Object>, state: &State<'a>, cursor: &mut Cursor) {
        let Some(Object::Array(parts)) = operand else { return };
        for part in parts {
            if let Object::String(..) = part {
                self.show(Some(part), state, cursor);
            } else if let Some(back) = number(self.document, part) {
                if back < -SPACE {
                    self.layout.space();
                }
                let across = -back / 1000.0 * state.size * state.stretch;
                cursor.now = Matrix::moved(across, 0.0).then(&cursor.now);
            }
        }
    }

    fn show(&mut self, operand: Option<&Object>, state: &State<'a>, cursor: &mut Cursor) {
        let (Some(Object::String(bytes, _)), Some(font)) = (operand, &state.font) else { return };
        let (text, width) = font.text(bytes);
        let count = text.chars().count() as f32;
        let spaces = text.chars().filter(|char| *char == ' ').count() as f32;
        let width =
            (width * state.size + count * state.between_chars + spaces * state.between_words) * state.stretch;
        let place = Matrix::moved(0.0, state.rise).then(&cursor.now).then(&state.map);
        let (across, up) = place.scale();
        self.layout.add(&text, place.place(), width * across, (state.size * up).abs());
        cursor.now = Matrix::moved(width, 0.0).then(&cursor.now);
    }

    fn operand(&self, operation: &Operation, at: usize) -> f32 {
        operation.operands.get(at).and_then(|object| number(self.document, object)).unwrap_or_default()
    }

    fn matrix(&self, operation: &Operation) -> Matrix {
        self.matrix_of(&operation.operands)
    }

    fn matrix_of(&self, numbers: &[Object]) -> Matrix {
        let numbers: Vec<f32> = numbers.iter().filter_map(|object| number(self.document, object)).collect();
        numbers.try_into().map_or(Matrix::IDENTITY, Matrix)
    }
}
