//! A library with documents in five languages: each question is answered from the documents in its own.

use serde_json::json;
use vademecum::agent::context::Context;
use vademecum::cancel::Cancel;
use vademecum::engine::KnowledgeBase;
use vademecum_testing::agent::{NoLlm, TestFunctions, pipeline, run_with};
use vademecum_testing::{add, kb, markdown};

const DOCUMENTS: [(&str, &str); 5] = [
    (
        "en.md",
        "# The weir\n\nThe weir at Pell was rebuilt in 1931. Canoes must be carried around it. The warden of the weir is Ada Lund.",
    ),
    (
        "de.md",
        "# Das Stellwerk\n\nDas Stellwerk in Aurich wurde 1904 gebaut. Die Hebel werden jeden Freitag geölt. Das Stellwerk leitet Frau Janssen.",
    ),
    (
        "fr.md",
        "# La bergerie\n\nLa bergerie de Corvol abrite quarante brebis. Le fromage mûrit pendant neuf semaines. La bergère s'appelle Odile Marchand.",
    ),
    (
        "es.md",
        "# El molino\n\nEl molino de Arcos muele trigo y cebada. La rueda se repara cada tres años. El molinero vende la harina los sábados.",
    ),
    ("zh.md", "# 茶园\n\n青山茶园建于一九五八年。茶叶在四月采摘。茶园的主人是林小梅。"),
];

fn library() -> KnowledgeBase {
    let kb = kb(None);
    add(&kb, DOCUMENTS.iter().map(|(id, text)| markdown(id, text)).collect()).unwrap();
    kb
}

fn asked(kb: &KnowledgeBase, question: &str) -> Context {
    let steps = json!([{ "step": "search" }, { "step": "answer" }]);
    let pipeline = pipeline(json!({ "question": question, "steps": steps }));
    run_with(&pipeline, kb, &NoLlm, &TestFunctions::default(), Cancel::default()).0
}

#[test]
fn a_question_in_each_of_five_languages_is_answered_from_the_document_in_it() {
    let kb = library();
    for (question, id, answer) in [
        ("When was the weir at Pell rebuilt?", "en.md", "1931"),
        ("Wann wurde das Stellwerk in Aurich gebaut?", "de.md", "1904"),
        ("Combien de brebis la bergerie de Corvol abrite-t-elle ?", "fr.md", "quarante brebis"),
        ("¿Qué muele el molino de Arcos?", "es.md", "trigo y cebada"),
        ("青山茶园建于哪一年？", "zh.md", "一九五八年"),
    ] {
        let result = asked(&kb, question);
        let said = result.answer.clone().unwrap_or_default();
        assert!(said.contains(answer), "{question}: {said:?}, {:?}, {:?}", result.reason, result.confidence);
        assert_eq!(result.citations[0].doc_id, id, "{question}");
    }
}

#[test]
fn a_question_that_no_document_of_five_languages_answers_gets_no_answer() {
    let kb = library();
    for question in [
        "Which planet has the largest moon?",
        "Wie viele Zähne hat ein Krokodil?",
        "Quelle est la capitale de la Mongolie ?",
        "¿Cuántas cuerdas tiene un arpa?",
        "世界上最深的海沟在哪里？",
    ] {
        let result = asked(&kb, question);
        assert_eq!((result.answer, result.abstained), (None, true), "{question}: {:?}", result.confidence);
    }
}
