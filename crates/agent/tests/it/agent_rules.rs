//! The rules of the steps before the search, on realistic questions.

use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use vademecum::agent::context::Context;
use vademecum::agent::ports::NoFunctions;
use vademecum::agent::steps::small_talk;
use vademecum::cancel::Cancel;
use vademecum::text::terms::{Term, terms};
use vademecum_testing::agent::{Bucket, Buckets, NoLlm, run_with};

fn take(question: &str, history: &Value, steps: Value) -> Context {
    let pipeline = json!({ "question": question, "history": history, "steps": steps });
    let pipeline = serde_json::from_value(pipeline).unwrap();
    run_with(&pipeline, &buckets(), &NoLlm, &NoFunctions, Cancel::default()).0
}

fn buckets() -> Buckets {
    Buckets(vec![
        Bucket::new(
            "invoices",
            "Bills of our suppliers",
            json!({ "total_amount": "number", "vendor": "string", "paid": "boolean", "due": "date" }),
        ),
        Bucket::new(
            "contracts",
            "Signed agreements and their termination",
            json!({ "year": "number", "party": ["string"], "signed": "date" }),
        ),
        Bucket::new("datasheets", "Properties of electronic parts", json!({ "voltage": "number" })),
    ])
}

#[test]
fn small_talk_needs_no_documents() {
    for question in [
        "Hi",
        "hello!",
        "Hey there",
        "Good morning!",
        "Hi again",
        "Bonjour !",
        "Guten Morgen",
        "thanks",
        "Thank you very much!",
        "Great, thanks a lot",
        "ok thanks",
        "Thanks for your help!",
        "Danke schön",
        "Merci beaucoup",
        "bye",
        "See you later",
        "Who are you?",
        "Hi, who are you?",
        "what can you do",
        "What's your name?",
        "What’s your name?",
        "Are you a robot?",
        "How are you today?",
        "got it, thanks",
        "Hello assistant",
    ] {
        let context = take(question, &json!([]), json!([{ "step": "gate" }]));
        assert!(context.skip_retrieval, "{question}");
        assert!(!small_talk(question).unwrap().reply().is_empty());
    }
}

#[test]
fn other_questions_are_searched() {
    for question in [
        "What is the notice period?",
        "Thanks for the contract, what is its notice?",
        "Hello world in Rust",
        "Who are you contracted with?",
        "What is your refund policy?",
        "What can you do to end the contract?",
        "Hey Jude lyrics",
        "good night's sleep",
        "ok boomer meaning",
        "24/7",
        "What is 24/7?",
        "2023-24",
        "555-1234",
        "2023-05-01",
        "What is 42?",
        "C++",
        "+49 30 123456",
        "1.2.3",
        "7",
        "What is 5 apples plus 3?",
        "What is 2+2?",
        "1/0",
        "0 / 0",
        "2 +",
        "(2+3",
        "yes",
        "no",
        "help",
        "Who made you-know-who famous?",
        "How do I say thank you in German?",
        "Wie lange ist die Kündigungsfrist?",
        "犬は何を食べますか",
        "Is the thanksgiving bonus paid?",
        "How many invoices are there?",
    ] {
        let context = take(question, &json!([]), json!([{ "step": "gate" }]));
        assert!(!context.skip_retrieval, "{question}: {:?}", small_talk(question));
    }
}

#[test]
fn only_politeness_is_removed() {
    for (asked, rewritten) in [
        ("Hi, could you please tell me what the notice period is?", "What the notice period is?"),
        ("hello! what is the price of the basic plan?", "What is the price of the basic plan?"),
        ("Hi could you tell me who signed the contract?", "Who signed the contract?"),
        ("I was wondering if the basic plan includes support", "The basic plan includes support"),
        ("Can you please tell me about termination?", "Termination?"),
        ("Please list all invoices from ACME", "List all invoices from ACME"),
        ("What is the notice period, please?", "What is the notice period?"),
        ("What is the notice period? Thanks in advance!", "What is the notice period?"),
        ("Do you know when the licence renews?", "When the licence renews?"),
        ("I'd like to know how long the notice is", "How long the notice is"),
        ("Good morning, quick question: who owns ACME?", "Who owns ACME?"),
    ] {
        let context = take(asked, &json!([]), json!([{ "step": "rewrite" }]));
        assert_eq!(context.rewritten_question.as_deref(), Some(rewritten), "{asked}");
    }
    for asked in [
        "What is the notice period?",
        "Hello world in Rust",
        "How do I say thank you?",
        "So many invoices are late, why?",
        "iPhone battery life",
        "Hey Jude lyrics",
        "Wie lange ist die Frist?",
        "Could you cancel a contract early?",
        "Can you end it?",
        "Is the tour for me?",
        "¿Cuándo vence el contrato?",
        "契約の期限は？",
        "pleased customers",
        "tell me more",
        "Well water quality",
    ] {
        let context = take(asked, &json!([]), json!([{ "step": "rewrite" }]));
        assert_eq!(context.rewritten_question, None, "{asked}");
    }
}

#[test]
fn follow_ups_are_completed() {
    for (before, answer, asked, rewritten) in [
        (
            "What is the response time for the basic plan?",
            "",
            "And for the enterprise plan?",
            "What is the response time for the enterprise plan?",
        ),
        (
            "What is the response time for the basic plan?",
            "",
            "What about the enterprise plan?",
            "What is the response time for the enterprise plan?",
        ),
        ("What is the price?", "", "and for students?", "What is the price for students?"),
        ("What was the sum in Oslo in 2024?", "", "and in Berlin?", "What was the sum in Berlin in 2024?"),
        ("What was the sum in Oslo in 2024?", "", "and in 2023?", "What was the sum in Oslo in 2023?"),
        ("What was the sum in 2024?", "", "and in Berlin?", "What was the sum in 2024 in Berlin?"),
        ("How much did Tomas pay in March?", "", "and Ines?", "How much did Ines pay in March?"),
        ("How much did June pay in March?", "", "and Ines?", "How much did Ines pay in March?"),
        ("How much did June pay?", "", "and Ines?", "How much did Ines pay?"),
        (
            "How much did Tomas pay in March?",
            "",
            "and Ines in April?",
            "How much did Tomas pay in March: Ines in April?",
        ),
        ("How much did Tomas pay in March?", "", "and April?", "How much did Tomas pay in April?"),
        ("What was sold for teams in Oslo?", "", "and for students?", "What was sold for students in Oslo?"),
        ("When was Albert Einstein born?", "", "What about Niels Bohr?", "When was Niels Bohr born?"),
        (
            "What is the notice of the ACME contract?",
            "",
            "and Globex?",
            "What is the notice of the Globex contract?",
        ),
        ("What did Marie Curie discover?", "Radium.", "When was she born?", "When was Marie Curie born?"),
        ("What did Marie Curie discover?", "Radium.", "Where is her grave?", "Where is Marie Curie's grave?"),
        (
            "Who founded ACME?",
            "John Smith founded ACME in 1990. Mary helped.",
            "When was he born?",
            "When was John Smith born?",
        ),
        (
            "What is the notice period of the ACME contract?",
            "30 days",
            "Can it be shortened?",
            "Can it be shortened? (notice period ACME contract)",
        ),
        (
            "What is the notice period of the ACME contract?",
            "30 days",
            "What does that mean?",
            "What does that mean? (notice period ACME contract)",
        ),
        (
            "What is the notice period of the ACME contract?",
            "30 days",
            "Why?",
            "What is the notice period of the ACME contract? Why?",
        ),
        (
            "What is the notice period of the ACME contract?",
            "30 days",
            "And what is the price?",
            "What is the price? (notice period ACME contract)",
        ),
    ] {
        let history = json!([{ "question": before, "answer": answer }]);
        let context = take(asked, &history, json!([{ "step": "rewrite" }]));
        assert_eq!(context.rewritten_question.as_deref(), Some(rewritten), "{asked}");
    }
    let history = json!([{ "question": "Could you tell me what the basic plan costs?" }, { "question": "What about the gold plan?" }]);
    let context = take("And the enterprise plan?", &history, json!([{ "step": "rewrite" }]));
    assert_eq!(context.rewritten_question.as_deref(), Some("What the enterprise plan costs?"));
}

#[test]
fn complete_questions_take_nothing_from_the_previous_one() {
    let history =
        json!([{ "question": "What is the notice period of the ACME contract?", "answer": "30 days." }]);
    for asked in [
        "What is the price of the enterprise plan?",
        "When did Einstein publish his theory?",
        "Is it possible to pay by card?",
        "Does the licence renew itself and when does it end?",
        "How long does it take to ship a parcel?",
        "Which documents mention that Globex pays?",
        "Wo kommt das her?",
        "Et pour les étudiants en France, quel est le prix de la carte ?",
        "Cuando él llegó, ¿qué hizo?",
    ] {
        let context = take(asked, &history, json!([{ "step": "rewrite" }]));
        assert_eq!(context.rewritten_question, None, "{asked}");
    }
}

#[test]
fn clearly_multiple_questions_are_split() {
    let four: &[(&str, &[&str])] = &[
        (
            "What is the notice period and how long is the term?",
            &["What is the notice period?", "How long is the term?"],
        ),
        ("What is the notice? Who owns ACME?", &["What is the notice?", "Who owns ACME?"]),
        (
            "Who wrote Hamlet and when was it published?",
            &["Who wrote Hamlet?", "When was it published? (wrote Hamlet)"],
        ),
        (
            "What is the difference between the Basic plan and the Gold plan?",
            &["What is the Basic plan?", "What is the Gold plan?"],
        ),
        (
            "Compare the response times of Basic and Gold",
            &["What are the response times of Basic?", "What are the response times of Gold?"],
        ),
        (
            "Compare ACME with Globex in terms of price",
            &["What is ACME in terms of price?", "What is Globex in terms of price?"],
        ),
        ("How does GenServer differ from Agent?", &["What is GenServer?", "What is Agent?"]),
        ("How do GenServer and Agent differ?", &["What is GenServer?", "What is Agent?"]),
        ("Rust vs Go performance", &["What is Rust performance?", "What is Go performance?"]),
        (
            "What is the price of Basic, Gold and Platinum?",
            &["What is the price of Basic?", "What is the price of Gold?", "What is the price of Platinum?"],
        ),
        (
            "I have an ACME contract. What is its notice? Who signed the lease?",
            &["I have an ACME contract. What is its notice?", "Who signed the lease?"],
        ),
        ("Was ist die Frist? Wer hat unterschrieben?", &["Was ist die Frist?", "Wer hat unterschrieben?"]),
        (
            "Explain how termination works and why a notice is needed",
            &["Explain how termination works", "Why a notice is needed"],
        ),
        (
            "Is the licence renewed and does the customer have to pay?",
            &["Is the licence renewed?", "Does the customer have to pay?"],
        ),
    ];
    for (asked, parts) in four {
        let context = take(asked, &json!([]), json!([{ "step": "decompose" }]));
        assert_eq!(&context.sub_questions, parts, "{asked}");
    }
}

#[test]
fn possibly_single_questions_are_not_split() {
    for asked in [
        "What is the notice period?",
        "Compare support response times across plans",
        "What are the terms and conditions?",
        "Who is the president of the country where the treaty was signed?",
        "What are the profit and loss of Johnson and Johnson?",
        "What is the price of red, green and blue paint?",
        "Which man sings and dances?",
        "Who knows the man who sings and who dances?",
        "What happens between the first and the second notice?",
        "I need the contract. It was signed in May.",
        "How do I compile and run a program?",
        "What did he say and why?",
        "List invoices over $1k and under $5k",
        "Wie und wann wurde gekündigt?",
        "Compare them",
        "compare",
        "What is the difference between them and us?",
        "Where does the contract say what is owed and will be paid?",
        "What is the difference between notice, term and renewal?",
        "vs",
        "A, B and C",
        "and and and?",
    ] {
        let context = take(asked, &json!([]), json!([{ "step": "decompose" }]));
        assert_eq!(context.sub_questions, [asked]);
        assert_eq!(context.queries(), [asked]);
    }
}

#[test]
fn no_part_is_lost_when_there_are_too_many() {
    let asked = "What is a? What is b1? What is c1? What is d1? What is e1?";
    let context = take(asked, &json!([]), json!([{ "step": "decompose", "max": 3 }]));
    assert_eq!(context.sub_questions, ["What is a?", "What is b1?", "What is c1? What is d1? What is e1?"]);
}

#[test]
fn collections_are_chosen_by_the_words_they_share_with_the_question() {
    for (asked, chosen) in [
        ("Which supplier sent the most bills?", &["invoices"][..]),
        ("How are agreements terminated?", &["contracts"]),
        ("What is the maximum voltage?", &["datasheets"]),
        ("Which invoices belong to signed contracts?", &["invoices", "contracts"]),
        ("What is the meaning of life?", &["invoices", "contracts", "datasheets"]),
    ] {
        let context = take(asked, &json!([]), json!([{ "step": "select" }]));
        assert_eq!(context.collections.as_deref().unwrap(), chosen, "{asked}");
        assert!(context.selection_reasoning.is_some());
    }
}

#[test]
fn only_other_spellings_are_added() {
    for (asked, expanded) in [
        ("What does the NDA say?", Some("What does the NDA say? non-disclosure agreement")),
        ("service-level agreement penalties", Some("service-level agreement penalties SLA servicelevel")),
        ("Is e-mail enough as notice?", Some("Is e-mail enough as notice? email")),
        ("Which licence applies?", Some("Which licence applies? license")),
        ("What is the notice period?", None),
        ("Qu'est-ce que j'ai signé ?", None),
        ("state-of-the-art", None),
    ] {
        let context = take(asked, &json!([]), json!([{ "step": "expand" }]));
        assert_eq!(context.expanded_query.as_deref(), expanded, "{asked}");
    }
}

fn questions() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "what",
        "is",
        "the",
        "price",
        "of",
        "and",
        "compare",
        "vs",
        "difference",
        "between",
        "for",
        "it",
        "he",
        "over",
        "$1k",
        "2023",
        "in",
        ",",
        "?",
        ".",
        "ACME",
        "Basic",
        "hi",
        "please",
        "thanks",
        "2",
        "+",
        "(",
        "%",
        "e-mail",
        "NDA",
        "how",
        "does",
        "differ",
        "from",
        "more",
        "than",
        "ß",
        "猫",
        "’s",
        "İ",
        "\u{301}",
    ]);
    prop_oneof![prop::collection::vec(words, 0..14).prop_map(|words| words.join(" ")), "\\PC{0,60}"]
        .prop_map(|text| text + "x")
}

/// Words of politeness and of comparisons, which rules may remove.
const POLITE: [&str; 3] = ["hi", "please", "thanks"];
const COMPARING: [&str; 5] = ["compare", "vs", "difference", "differ", "between"];

fn content(text: &str) -> BTreeSet<String> {
    terms(text).into_iter().map(|term| term.text).collect()
}

/// Returns a term of `text` that is missing in `kept`, if there is one.
fn lost(text: &str, kept: &str, free: &[&str]) -> Option<String> {
    let free: BTreeSet<String> = free.iter().flat_map(|word| content(word)).collect();
    // Splitting at punctuation may turn one term into two.
    let letters = |text: &str| text.to_lowercase().replace(|letter: char| !letter.is_alphanumeric(), "");
    let (held, whole) = (content(kept), letters(kept));
    let lost = terms(text).into_iter().find(|Term { text: term, at }| {
        !held.contains(term) && !free.contains(term) && !whole.contains(&letters(&text[at.clone()]))
    });
    lost.map(|term| term.text)
}

proptest! {
    #[test]
    fn no_rule_panics_or_loses_words(asked in questions(), before in questions()) {
        let history = json!([{ "question": before, "answer": asked }]);
        let steps = json!([{ "step": "gate" }, { "step": "rewrite" }, { "step": "select" }, { "step": "expand" }, { "step": "decompose" }]);
        let context = take(&asked, &history, steps);
        prop_assert!(context.log.error.is_none());
        prop_assert!((1..=4).contains(&context.sub_questions.len()));
        prop_assert!(context.sub_questions.len() > 1 || context.sub_questions == [context.asked()]);
        prop_assert_eq!(lost(&asked, context.asked(), &POLITE), None, "{}", context.asked());
        if !context.sub_questions.is_empty() {
            let parts = context.sub_questions.join(" ");
            prop_assert_eq!(lost(context.asked(), &parts, &COMPARING), None, "{:?}", context.sub_questions);
        }
        let planned = take(&asked, &history, json!([{ "step": "decompose", "phases": 2 }]));
        prop_assert!(planned.log.error.is_none());
        prop_assert!(planned.plan.is_some());
    }
}
