use super::*;
use crate::citation::{CitationStyle, check};
use proptest::prelude::*;
use vademecum_protocol::document::whole_document as hit;

fn evidence() -> Vec<Hit> {
    vec![
        hit(
            "a",
            "🦀 Either party may end this contract with a notice of 30 days. The notice must be\nin writing.",
        ),
        hit(
            "b",
            "The Globex licence renews itself every year. It costs 12,000 euros. Liability is limited to the fees.",
        ),
    ]
}

fn grounded(answer: &str) -> Vec<GroundedSentence> {
    let checked = check(answer, &evidence(), CitationStyle::Number);
    ground(&Questions::default(), &checked.text, &checked.citations, &evidence())
}

fn verdicts(answer: &str) -> Vec<bool> {
    grounded(answer).iter().map(|one| one.supported).collect()
}

fn slice(text: &str, span: Span) -> String {
    String::from_utf16(&text.encode_utf16().collect::<Vec<_>>()[span.start..span.end]).unwrap()
}

#[test]
fn a_paraphrase_is_supported_by_the_passage_it_paraphrases() {
    let found = grounded("😀 The notice period is 30 days. [1] The price is higher.");
    assert_eq!(found.len(), 2);
    assert_eq!((found[0].supported, found[0].verbatim), (true, None));
    assert_eq!(found[0].text, "😀 The notice period is 30 days. [1]");
    assert_eq!(
        slice(&evidence()[0].chunk.text, found[0].span.unwrap()),
        "🦀 Either party may end this contract with a notice of 30 days."
    );
    assert!(!found[1].supported);
}

#[test]
fn a_wrong_number_or_name_is_reported_in_an_otherwise_correct_sentence() {
    let found = grounded("Either party may end this contract with a notice of 31 days [1].");
    assert_eq!((found[0].supported, found[0].missing.as_slice()), (false, ["31".to_owned()].as_slice()));
    let found = grounded("Either party may end the Initech contract with a notice of 30 days.");
    assert_eq!((found[0].supported, found[0].missing.as_slice()), (false, ["Initech".to_owned()].as_slice()));
    let found = grounded("Initech may end this contract with a notice of 30 days [1].");
    assert_eq!((found[0].supported, found[0].missing.as_slice()), (false, ["Initech".to_owned()].as_slice()));
    assert_eq!(verdicts("Globex pays 12,000 euros."), [true], "a passage holds it");
    assert_eq!(verdicts("Either party may end this contract with a notice of thirty days."), [true]);
    assert_eq!(verdicts("The Globex licence costs 12000 euros."), [true], "`it` is the licence");
}

#[test]
fn a_quotation_must_match_literally() {
    let found = grounded("It says “notice must be in writing” there [1].");
    assert_eq!((found[0].verbatim, found[0].supported), (Some(true), true), "{found:?}");
    assert_eq!(slice(&evidence()[0].chunk.text, found[0].span.unwrap()), "notice must be\nin writing");
    let found = grounded("It says “notice must be made in writing” there [1].");
    assert_eq!((found[0].verbatim, found[0].supported), (Some(false), false));
    assert_eq!(found[0].missing, ["notice must be made in writing"]);
}

#[test]
fn a_literal_copy_is_verbatim() {
    let found = grounded("The notice must be in writing. [1]");
    assert_eq!((found[0].verbatim, found[0].score, found[0].supported), (Some(true), 1.0, true));
    let found = grounded("The notice must be in writing [1][2].");
    assert_eq!((found[0].verbatim, found[0].score), (Some(true), 1.0), "a citation before the full stop");
    assert_eq!(slice(&evidence()[0].chunk.text, found[0].span.unwrap()), "The notice must be\nin writing.");
    assert_eq!(verdicts("The notice [1] must be [1] in writing."), [true]);
    assert_eq!(grounded("The notice [1] must be [1] in writing.")[0].verbatim, Some(true));
    assert_eq!(grounded("The notice must be in writ.")[0].verbatim, None);
}

#[test]
fn a_sentence_that_cites_two_passages_may_combine_them() {
    let both = "The contract ends with 30 days of notice and the Globex licence costs 12,000 euros";
    assert_eq!(verdicts(&format!("{both} [1][2].")), [true]);
    assert_eq!(verdicts(&format!("{both}.")), [false]);
}

#[test]
fn a_citation_behind_an_emphasised_sentence_is_of_that_sentence() {
    let found = grounded("**The notice must be in writing.** [1] *It costs 12,000 euros.* [2] It is _new._");
    let texts: Vec<&str> = found.iter().map(|one| one.text.as_str()).collect();
    assert_eq!(
        texts,
        ["**The notice must be in writing.** [1]", "*It costs 12,000 euros.* [2]", "It is _new."]
    );
    assert_eq!(found.iter().map(|one| one.supported).collect::<Vec<_>>(), [true, true, false], "{found:?}");
}

#[test]
fn a_sentence_without_a_claim_is_judged_with_the_next() {
    let found = grounded("## Notice\n\nYes. The notice must be in writing [1].\n\n1. It costs 12,000 euros.");
    let texts: Vec<&str> = found.iter().map(|one| one.text.as_str()).collect();
    assert_eq!(texts, ["Yes. The notice must be in writing [1].", "1. It costs 12,000 euros."]);
    assert!(found.iter().all(|one| one.supported), "{found:?}");
}

#[test]
fn a_sentence_without_a_claim_and_without_a_next_is_not_supported() {
    for (answer, units) in [
        ("No.", vec![("No.", false)]),
        ("Yes. [1]", vec![("Yes. [1]", false)]),
        ("Yes. It is.\n\n## Notice", vec![("Yes. It is.", false)]),
        ("---\n\n😀", vec![]),
        (
            "The notice must be in writing [1]. Ok.",
            vec![("The notice must be in writing [1].", true), ("Ok.", false)],
        ),
    ] {
        let found = grounded(answer);
        let told: Vec<_> = found.iter().map(|one| (one.text.as_str(), one.supported)).collect();
        assert_eq!(told, units);
    }
}

#[test]
fn without_evidence_nothing_is_supported() {
    let found = ground(&Questions::default(), "The notice is 30 days.", &[], &[]);
    assert_eq!((found[0].supported, found[0].score, found[0].chunk_id.as_ref()), (false, 0.0, None));
    assert!(ground(&Questions::default(), "", &[], &[]).is_empty());
}

proptest! {
    #[test]
    fn spans_always_slice_and_scores_are_in_range(
        answer in "([a-z]{1,6} |30 days|notice |Globex |😀|[.!?] |\\n|\\n\\n|# |- |\\[[0-9]\\]|“|”|\"){0,40}",
        passage in "([a-z]{1,6} |30 days|notice |Globex |🦀|[.!?] |\\n|\\n\\n|\"){0,40}",
        from in 0_usize..9,
    ) {
        let mut hit = hit("p", &passage);
        hit.chunk.span = Span { start: from, end: from + hit.chunk.span.end };
        let checked = check(&answer, std::slice::from_ref(&hit), CitationStyle::Number);
        for one in ground(&Questions::default(), &checked.text, &checked.citations, std::slice::from_ref(&hit)) {
            prop_assert_eq!(slice(&checked.text, one.at), one.text);
            prop_assert!((0.0..=1.0).contains(&one.score));
            if let Some(Span { start, end }) = one.span {
                prop_assert!(from <= start && start < end && end <= hit.chunk.span.end);
                let said = slice(&passage, Span { start: start - from, end: end - from });
                prop_assert_eq!(said.trim(), said.as_str());
            }
        }
    }
}

#[test]
fn a_row_of_a_table_supports_what_it_says_together_with_its_header() {
    let table = hit(
        "t",
        "| Paper | Tray | Colour |\n|---|---|---|\n| A4 | 1 | yes |\n| Labels | 12 | no |\n\nAsk for toner.",
    );
    let verdict = |answer: &str| {
        ground(&Questions::default(), answer, &[], std::slice::from_ref(&table))
            .first()
            .map(|one| one.supported)
    };
    assert_eq!(verdict("The tray of the Labels paper is 12."), Some(true));
    assert_eq!(verdict("The tray of the A4 paper is 12."), Some(false), "that is the next row");
}

#[test]
fn a_short_answer_needs_the_words_of_the_question_in_its_support() {
    let passage = hit(
        "p",
        "# Rye\n\nLet the dough rest for 14 hours.\n\nBake the loaf for 45 minutes. It keeps a week. The baker is Bela Horvath.",
    );
    let verdict = |question: &str, answer: &str| {
        ground(&[question].into(), answer, &[], std::slice::from_ref(&passage))[0].supported
    };
    assert!(verdict("How long does the dough rest?", "14 hours."));
    assert!(verdict("How long does the dough rest?", "The answer is 14 hours."));
    assert!(!verdict("How long does the dough rest?", "45 minutes."), "that is for the loaf");
    assert!(!verdict("How long does the dough rest?", "The answer is 45 minutes."));
    assert!(verdict("Who is the baker?", "Bela Horvath"));
    assert!(!verdict("Who is the baker?", "The passage is:"));
}

#[test]
fn a_name_that_occurs_only_later_is_not_what_a_pronoun_refers_to() {
    let trams = hit(
        "t",
        "Line 2 is served by trams of class T7. They seat 64. They are red. The class T4 was withdrawn.",
    );
    let verdict =
        |answer: &str| ground(&Questions::default(), answer, &[], std::slice::from_ref(&trams))[0].supported;
    assert!(verdict("Trams of class T7 serve line 2."));
    assert!(verdict("The T7 trams seat 64."));
    assert!(!verdict("Trams of class T4 serve line 2."));
}

#[test]
fn shared_names_alone_do_not_support_and_neither_does_the_opposite() {
    let depot = hit(
        "d",
        "The director of the depot, Marta Kovac, was appointed in 2019. Bicycles are not allowed in the depot.",
    );
    let verdict =
        |answer: &str| ground(&Questions::default(), answer, &[], std::slice::from_ref(&depot))[0].supported;
    assert!(verdict("Marta Kovac is the director of the depot."));
    assert!(!verdict("The owner of the boat is Marta Kovac."));
    assert!(!verdict("Bicycles are allowed in the depot."));
    assert!(!verdict("The director of the depot is not specified."));
}

#[test]
fn a_quoted_sentence_about_a_part_of_the_question_is_supported() {
    let passages = [
        hit("cats", "Cats purr when they are content."),
        hit("dogs", "Dogs wag their tails when they are content."),
    ];
    let question = "When do cats purr, and when do dogs wag their tails?";
    let answer = "Cats purr when they are content. [1] Dogs wag their tails when they are content. [2]";
    let checked = check(answer, &passages, CitationStyle::Number);
    let found = ground(&[question].into(), &checked.text, &checked.citations, &passages);
    assert!(found.len() == 2 && found.iter().all(|one| one.supported));
    // Words that say nothing of the question are no answer to it, although a passage has them.
    assert!(!ground(&["How old is the tower of Tarn?"].into(), "Content.", &[], &passages)[0].supported);
}

#[test]
fn a_short_answer_may_answer_a_part_of_the_question() {
    let passages = [hit("london.md", "London lies on the Thames.")];
    let whole = "On which river lies the place where Ada was born?";
    let supported = |asked: &[&str]| {
        let questions = Questions { asked: asked.to_vec(), searched: None };
        ground(&questions, "the Thames", &[], &passages)[0].supported
    };
    assert!(!supported(&[whole]));
    assert!(supported(&[whole, "Where was Ada born?", "On which river lies London?"]));
    assert!(!supported(&[whole, "Where was Ada born?", "Who rules Ghent?"]));
}

fn titled(id: &str, title: &str, text: &str) -> Hit {
    let mut one = hit(id, text);
    one.chunk.title = Some(title.to_owned());
    one
}

#[test]
fn a_short_answer_may_be_the_last_link_of_a_chain() {
    let directed =
        "The Canadian director of the horror film The Fly is David Cronenberg. It stars Geena Davis.";
    let passages = [
        titled("fly", "The Fly (1986 film)", directed),
        titled("music", "The Fly (music)", "The composer was born in 1946."),
        titled("dc", "David Cronenberg", "Cronenberg was born in Toronto in 1943. He married in 1970."),
        titled("rw", "Robert Wise", "Wise was born in Winchester in 1914."),
    ];
    let supported = |answer: &str| {
        let question = "When was the Canadian director of the horror film The Fly born?";
        ground(&[question].into(), answer, &[], &passages)[0].supported
    };
    assert!(supported("1943"));
    assert!(!supported("1970"), "that sentence has none of the question's words");
    assert!(!supported("1914"), "no passage leads there");
    assert!(!supported("1946"), "passages of the same title do not lead to each other");
}

#[test]
fn a_short_answer_may_be_to_a_search_that_asks_something() {
    let passages = [
        hit("moor", "Ada Lund was born in Tarn. Moorland is a novel by Ada Lund."),
        hit("tarn", "The river Ebbing runs past Tarn."),
        hit("deck", "Cats are allowed on deck."),
    ];
    let supported = |question: &str, searched: Option<&str>, answer: &str| {
        let questions = Questions { asked: vec![question], searched };
        ground(&questions, answer, &[], &passages)[0].supported
    };
    let whole = "Which waters does the birthplace of the writer overlook?";
    assert!(!supported(whole, None, "the Ebbing"));
    assert!(supported(whole, Some("Which river runs past Tarn?"), "the Ebbing"));
    assert!(!supported(whole, Some("Which river runs past Tarn?"), "Tarn"), "the search names it");
    assert!(!supported(whole, Some("Ada Lund"), "Moorland"), "a search for a name asks nothing");
    assert!(!supported(whole, Some("Where was Ada Lund born?"), "Moorland"));
    let barred = "Which animals are not allowed on deck?";
    assert!(!supported(barred, Some("animals allowed on board"), "Cats"), "the question negates");
    let spoken = "Which river runs past the birthplace of Ada Lund?";
    let verified = "The river past Tarn is surely the Ebbing.";
    assert!(supported(spoken, Some("Ebbing river Tarn"), verified), "what was searched was not asked");
}

#[test]
fn a_part_of_a_sentence_does_not_leave_out_its_negation() {
    let passages = [hit("deck.md", "Dogs are not allowed on deck. Cats stay in the cabin.")];
    let supported =
        |question: &str, answer: &str| ground(&[question].into(), answer, &[], &passages)[0].supported;
    assert!(!supported("Are dogs allowed on deck?", "allowed on deck"));
    assert!(supported("Which animals are not allowed on deck?", "Dogs."));
    assert!(supported("Where do cats stay?", "Cats stay in the cabin."));
}

#[test]
fn a_whole_sentence_of_a_passage_is_supported_without_a_word_of_the_question() {
    let passages = [hit("cats.md", "# Cats\n\nCats purr when they are content.")];
    let supported = |answer: &str| {
        ground(&["Which noise does my happy kitten make?"].into(), answer, &[], &passages)[0].supported
    };
    assert!(supported("Cats purr when they are content."));
    assert!(!supported("content"));
}

#[test]
fn rows_without_full_stops_are_quotations_of_their_own() {
    let rows = vec![
        hit("a", "invoice: INV-1\nvendor: Acme\namount: 20\npaid: no"),
        hit("b", "invoice: INV-2\nvendor: Acme\namount: 30\npaid: yes"),
    ];
    let grounded = |answer: &str| {
        let checked = check(answer, &rows, CitationStyle::Number);
        ground(&Questions::default(), &checked.text, &checked.citations, &rows)
    };
    let found = grounded(
        "invoice: INV-1 vendor: Acme amount: 20 paid: no [1] invoice: INV-2 vendor: Acme amount: 30 paid: yes [2]",
    );
    let told: Vec<_> = found.iter().map(|one| (one.supported, one.verbatim, one.text.as_str())).collect();
    assert_eq!(
        told,
        [
            (true, Some(true), "invoice: INV-1 vendor: Acme amount: 20 paid: no [1]"),
            (true, Some(true), "invoice: INV-2 vendor: Acme amount: 30 paid: yes [2]"),
        ]
    );
    // The marks of another passage make no quotation.
    let swapped = grounded(
        "invoice: INV-1 vendor: Acme amount: 20 paid: no [2] invoice: INV-2 vendor: Acme amount: 30 paid: yes [1]",
    );
    assert_eq!(swapped.len(), 1);
}

/// Passages about several things of one household, as a small model mixes them up.
fn household() -> Vec<Hit> {
    vec![
        hit(
            "ferry",
            "The Kalm ferry runs every forty minutes. A crossing takes 25 minutes. It carries up to 38 cars.",
        ),
        hit("printer", "The printer prints on both sides. Toner is kept in cupboard 12."),
        hit(
            "lab",
            "The freezer is kept at minus 80 degrees. Samples of the study are in drawers three and four.",
        ),
        hit(
            "kiln",
            "Helmut Brandt founded the pottery. His daughter Ines runs it today. A firing takes eleven hours.",
        ),
        hit("bees", "The office keeps four hives on its roof. Marta Lindqvist looks after them on Tuesdays."),
        hit(
            "choir",
            "The spring concert costs 12 euros, or 6 for students. Plot 17 measures 240 square metres.",
        ),
    ]
}

fn verdict(question: &str, answer: &str) -> bool {
    ground(&[question].into(), answer, &[], &household()).iter().all(|one| one.supported)
}

#[test]
fn a_number_of_another_thing_is_no_support() {
    let asked = "How many cars does it carry?";
    assert!(verdict(asked, "The Kalm ferry carries 38 cars."));
    let found = ground(&[asked].into(), "The Kalm ferry carries 25 cars.", &[], &household());
    assert_eq!((found[0].supported, found[0].missing.as_slice()), (false, ["25".to_owned()].as_slice()));
}

#[test]
fn a_sentence_is_not_supported_by_a_passage_while_another_knows_more_of_what_was_asked() {
    let asked = "Where is the toner kept?";
    assert!(verdict(asked, "The toner is kept in cupboard 12."));
    assert!(!verdict(asked, "The toner is kept in drawers three and four."));
}

#[test]
fn a_sentence_that_adds_nothing_of_its_support_to_the_question_is_not_supported() {
    let asked = "Who runs the pottery today?";
    assert!(verdict(asked, "His daughter Ines runs the pottery today."));
    assert!(!verdict(asked, "The pottery runs the printing today."));
    assert!(verdict(
        "Does the Kalm ferry run every forty minutes?",
        "The Kalm ferry runs every forty minutes."
    ));
}

#[test]
fn what_a_sentence_says_of_a_passage_as_such_is_no_claim() {
    assert!(!verdict("Do bicycles pay on the ferry?", "The passage is about the ferry."));
    assert!(verdict("How long does a crossing take?", "The answer is 25 minutes."));
}

#[test]
fn paraphrases_with_the_numbers_and_words_of_their_passage_stay_supported() {
    for (question, answer) in [
        ("How long does a crossing take?", "A crossing on the Kalm ferry lasts 25 minutes."),
        ("Who takes care of the hives?", "Marta Lindqvist takes care of the four hives on Tuesdays."),
        ("What does the concert cost?", "The spring concert costs 12 euros, or 6 euros for students."),
        ("How big is plot 17?", "Plot 17 is 240 square metres in size."),
        ("How long does a firing take?", "A firing takes 11 hours."),
    ] {
        assert!(verdict(question, answer), "{answer}");
    }
}

#[test]
fn yes_and_synonyms_in_answers_to_yes_or_no_add_nothing_that_must_be_supported() {
    let evidence = [
        hit("ferry", "The Kalm ferry carries bicycles free of charge."),
        hit("hall", "Smoking is not allowed in the hall."),
        hit("trial", "# A 30-day trial\n\nYou may cancel up to 2 days before the end."),
    ];
    for (question, answer) in [
        ("Does the Kalm ferry carry bicycles?", "Yes, the Kalm ferry carries bicycles."),
        ("Is smoking allowed in the hall?", "Smoking is not permitted in the hall."),
        ("How long is the trial?", "The trial lasts 30 days."),
    ] {
        assert!(
            ground(&[question].into(), answer, &[], &evidence).iter().all(|one| one.supported),
            "{answer}"
        );
    }
}

#[test]
fn a_passage_or_text_that_is_a_thing_is_a_claim() {
    let evidence = [hit("crypt", "A secret passage leads to the crypt. Type the name in the text box.")];
    for (question, answer) in [
        ("Which way leads to the crypt?", "A secret passage leads to the crypt."),
        ("Where do I type the name?", "Type the name in the text box."),
    ] {
        assert!(
            ground(&[question].into(), answer, &[], &evidence).iter().all(|one| one.supported),
            "{answer}"
        );
    }
}
