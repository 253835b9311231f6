//! WordPiece gives the ids of the general tokenizer, whatever the text.

use super::tokenizer::{Reference, json, reference};
use vademecum::encoder::onnx::{PairTokens, Tokens};
use vademecum::encoder::wordpiece::WordPiece;

/// Numbers from a state that must not be 0 (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % limit
    }

    fn character(&mut self) -> char {
        // Blocks of scripts, marks, separators, punctuation, symbols, and everything there is.
        const BLOCKS: [(u32, u32); 24] = [
            (0x20, 0x7e),
            (0x61, 0x7a),
            (0x61, 0x7a),
            (0x00, 0x20),
            (0xa0, 0x17f),
            (0x180, 0x24f),
            (0x300, 0x36f),
            (0x370, 0x3ff),
            (0x400, 0x4ff),
            (0x590, 0x5ff),
            (0x600, 0x6ff),
            (0x900, 0x97f),
            (0xb80, 0xbff),
            (0xe00, 0xe7f),
            (0x1e00, 0x1fff),
            (0x2000, 0x206f),
            (0x3000, 0x30ff),
            (0x4e00, 0x9fff),
            (0xac00, 0xd7a3),
            (0xf900, 0xfaff),
            (0xfe00, 0xffff),
            (0x1d100, 0x1d1ff),
            (0x1f300, 0x1faff),
            (0, 0x10ffff),
        ];
        let (first, last) = BLOCKS[self.below(BLOCKS.len())];
        char::from_u32(first + self.below((last - first + 1) as usize) as u32).unwrap_or(' ')
    }

    fn text(&mut self) -> String {
        const WHOLE: [&str; 12] = [
            "[CLS]",
            "[MASK]",
            "[UNK]",
            "[SEP",
            "##ing",
            "don't",
            "naïve",
            "Ångström",
            "İstanbul",
            "unaffable",
            "a\u{302e}\u{323}\u{1d165}b",
            " \u{a0}\r\n",
        ];
        (0..1 + self.below(30))
            .map(|_| match self.below(12) {
                0 => WHOLE[self.below(WHOLE.len())].to_owned(),
                1 => " ".to_owned(),
                2 => std::iter::repeat_n(self.character(), self.below(130)).collect(),
                _ => self.character().to_string(),
            })
            .collect()
    }
}

#[test]
fn a_hundred_thousand_random_strings_of_all_scripts_get_the_same_ids() {
    let Some(json) = json() else { return };
    let general = Tokens::load(&json, "tokenizer.json", 64).unwrap();
    let own = WordPiece::load(&json, "tokenizer.json", 64).unwrap().unwrap();
    let mut random = Random(7);
    for _ in 0..100_000 {
        let text = random.text();
        assert_eq!(own.encode(&text), general.encode(&text).unwrap(), "{text:?}");
    }
}

#[test]
fn cased_models_and_those_that_keep_accents_get_the_same_ids() {
    let Some(json) = json() else { return };
    let json = String::from_utf8(json).unwrap();
    for rules in [
        r#""clean_text":false,"handle_chinese_chars":true,"strip_accents":null,"lowercase":true"#,
        r#""clean_text":true,"handle_chinese_chars":false,"strip_accents":true,"lowercase":false"#,
        r#""clean_text":true,"handle_chinese_chars":true,"strip_accents":false,"lowercase":true"#,
        r#""clean_text":true,"handle_chinese_chars":true,"strip_accents":null,"lowercase":false"#,
    ] {
        let mut file: serde_json::Value = serde_json::from_str(&json).unwrap();
        let rules = format!(r#"{{"type":"BertNormalizer",{rules}}}"#);
        file["normalizer"] = serde_json::from_str(&rules).unwrap();
        let json = file.to_string().into_bytes();
        let general = Tokens::load(&json, "tokenizer.json", 64).unwrap();
        let own = WordPiece::load(&json, "tokenizer.json", 64).unwrap().unwrap();
        let mut random = Random(11);
        for _ in 0..4_000 {
            let text = random.text();
            assert_eq!(own.encode(&text), general.encode(&text).unwrap(), "{rules}: {text:?}");
        }
    }
}

#[test]
fn the_reference_sentences_get_the_same_ids_and_counts() {
    let Some(json) = json() else { return };
    let general = Tokens::load(&json, "tokenizer.json", 128).unwrap();
    let own = WordPiece::load(&json, "tokenizer.json", 128).unwrap().unwrap();
    assert_eq!(own.vocabulary(), general.vocabulary());
    for Reference { text, ids, .. } in reference() {
        assert_eq!(own.encode(&text).ids, ids, "{text}");
        assert_eq!(own.count(&text), general.count(&text), "{text}");
    }
}

#[test]
fn a_pair_is_cut_to_what_the_first_text_leaves() {
    let Some(json) = json() else { return };
    let own = WordPiece::load(&json, "tokenizer.json", 13).unwrap().unwrap();
    let pair = |first: &str, second: &str| own.encode_pair(first, second);
    let short = pair("one two", "three four five");
    assert_eq!((short.ids.len(), short.second, short.truncated), (8, 4, false));
    assert_eq!((short.ids[0], short.ids[3], short.ids[7]), (101, 102, 102));
    let long = pair("one two", &"three ".repeat(20));
    assert_eq!((long.ids.len(), long.second, long.truncated), (13, 4, true));
    // A first text that takes all the room is cut to half of it.
    let both = pair(&"one ".repeat(20), &"three ".repeat(20));
    assert_eq!((both.ids.len(), both.second, both.truncated), (13, 7, true));
}

#[test]
fn pairs_have_the_ids_segments_and_words_of_the_general_tokenizer() {
    let Some(json) = json() else { return };
    let mut random = Random(5);
    for most in [16, 64] {
        let general = PairTokens::load(&json, "tokenizer.json", most).unwrap();
        let own = WordPiece::load(&json, "tokenizer.json", most).unwrap().unwrap();
        for _ in 0..2_000 {
            let (first, second) = (random.text(), random.text());
            let (own, general) = (own.encode_pair(&first, &second), general.encode(&first, &second).unwrap());
            assert_eq!((&own.ids, own.truncated), (&general.ids, general.truncated), "{first:?} {second:?}");
            assert_eq!(own.second, general.second, "{first:?} {second:?}");
            assert_eq!(own.words.len(), general.words.len());
            assert!(own.start == general.start || own.words.is_empty(), "{first:?} {second:?}");
            for range in &own.words {
                assert!(second.get(range.clone()).is_some(), "{second:?} {range:?}");
            }
        }
        let (first, second) = ("How far is it?", "It's 12 kilometres, unbelievably far (naïve) 東京.");
        assert_eq!(own.encode_pair(first, second).words, general.encode(first, second).unwrap().words);
    }
}

#[test]
fn files_of_another_kind_are_left_to_the_general_tokenizer_and_damaged_ones_refused() {
    let other = br#"{"model":{"type":"BPE"},"normalizer":null,"pre_tokenizer":null,"post_processor":null}"#;
    assert!(WordPiece::load(other, "other.json", 64).unwrap().is_none());
    let error = WordPiece::load(b"{\"model\":", "cut.json", 64).unwrap_err();
    assert_eq!(error.code(), "tokenizer_invalid");
    let Some(json) = json() else { return };
    let mut file: serde_json::Value = serde_json::from_slice(&json).unwrap();
    file["model"]["vocab"].as_object_mut().unwrap().remove("[UNK]");
    let error = WordPiece::load(file.to_string().as_bytes(), "file.json", 64).map(|_| ());
    assert!(error.is_err_and(|error| error.to_string().contains("[UNK]")));
}
