//! Properties of the generated corpus that other tests rely on.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use vademecum::cancel::Cancel;
use vademecum::document::Document;
use vademecum::engine::{Mode, SearchRequest, SearchResponse};
use vademecum_testing::block_on;
use vademecum_testing::corpus::{collections, corpus, documents};

fn search(query: &str, collection: &str, limit: usize, filters: Option<Value>) -> SearchResponse {
    let request = SearchRequest {
        query: query.into(),
        collections: Some(vec![collection.into()]),
        mode: Mode::Keyword,
        limit,
        filters,
        ..SearchRequest::default()
    };
    block_on(corpus().search(&request, &Cancel::default())).unwrap()
}

fn text(document: &Document, field: &str) -> String {
    document.metadata[field].as_str().unwrap_or_else(|| panic!("{}: {field}", document.id)).to_owned()
}

#[test]
fn there_are_enough_documents_of_every_kind() {
    let least: BTreeMap<&str, usize> = [
        ("contracts", 14),
        ("invoices", 120),
        ("datasheets", 16),
        ("certificates", 10),
        ("manuals", 4),
        ("docs", 8),
        ("faq", 8),
        ("api", 8),
    ]
    .into();
    let declared = collections();
    assert_eq!(declared.len(), least.len());
    for collection in declared {
        let count = documents(&collection.name).len();
        assert!(count >= least[collection.name.as_str()], "{}: {count}", collection.name);
        assert!(collection.description.len() > 40, "{}", collection.name);
    }
}

#[test]
fn every_field_of_a_schema_is_in_a_document_and_of_its_type() {
    for collection in collections() {
        let documents = documents(&collection.name);
        let schema = collection.schema.as_object().unwrap();
        for (field, kind) in schema {
            let values: Vec<&Value> = documents.iter().filter_map(|one| one.metadata.get(field)).collect();
            assert!(!values.is_empty(), "{}: nobody has {field}", collection.name);
            let fits = |value: &Value| match kind.as_str().unwrap() {
                "number" => value.is_number(),
                "date" => value.as_str().is_some_and(|date| date.len() == 10 && date.split('-').count() == 3),
                _ => value.is_string(),
            };
            assert!(values.into_iter().all(fits), "{}: {field}", collection.name);
        }
        let known = |one: &Document| one.metadata.keys().all(|field| schema.contains_key(field));
        assert!(documents.iter().all(known), "{}", collection.name);
    }
    corpus(); // which refuses metadata of another type than its collection declares
}

#[test]
fn the_contracts_end_with_2023() {
    let years = documents("contracts").iter().map(|one| one.metadata["year"].as_u64().unwrap()).collect();
    let years: std::collections::BTreeSet<u64> = years;
    assert_eq!(years, (2019..=2023).collect());
    assert_eq!(search("contract agreement", "contracts", 20, Some(json!({ "year": 2024 }))).hits, []);
}

#[test]
fn two_contracts_with_acme_have_a_clause_on_termination() {
    let all = documents("contracts");
    let acme: Vec<&Document> = all.iter().filter(|one| text(one, "party") == "ACME Corp").collect();
    assert!(acme.len() >= 4);
    let whole = |one: &Document| one.text.clone() + &one.pages.clone().unwrap_or_default().join("\n");
    let with_clause: Vec<&str> =
        acme.iter().filter(|one| whole(one).contains("Termination")).map(|one| one.id.as_str()).collect();
    assert_eq!(with_clause, ["acme-supply-2022", "acme-support-2023"]);
}

#[test]
fn the_notice_of_30_days_is_found_on_page_5_of_6() {
    let supply = documents("contracts").into_iter().find(|one| one.id == "acme-supply-2022").unwrap();
    assert_eq!(supply.pages.unwrap().len(), 6);
    let found = search("ACME termination written notice of 30 days", "contracts", 5, None);
    let clause = found.hits.iter().find(|hit| hit.chunk.text.contains("notice of 30 days")).unwrap();
    assert_eq!((clause.chunk.doc_id.as_str(), clause.chunk.page), ("acme-supply-2022", Some(5)));
}

#[test]
fn a_search_for_every_invoice_finds_more_than_a_hundred_documents() {
    let found = search("invoice", "invoices", 500, None);
    let documents: std::collections::BTreeSet<&str> =
        found.hits.iter().map(|hit| hit.chunk.doc_id.as_str()).collect();
    assert!(documents.len() > 100, "{}", documents.len());
}

#[test]
fn invoices_of_acme_lie_on_both_sides_of_a_thousand() {
    let with = |total: Value| {
        let filters = json!({ "vendor_name": "Acme", "total_amount": total });
        search("invoice", "invoices", 500, Some(filters)).hits.len()
    };
    assert!(with(json!({ ">": 1000 })) >= 5);
    assert!(with(json!({ "<": 1000 })) >= 5);
}

#[test]
fn each_invoice_names_the_total_of_its_metadata() {
    for invoice in documents("invoices") {
        let total = format!("Total amount {:.2} euros", invoice.metadata["total_amount"].as_f64().unwrap());
        assert!(invoice.text.contains(&total), "{}: {total}", invoice.id);
        assert!(invoice.text.contains(&text(&invoice, "invoice_date")), "{}", invoice.id);
        assert_eq!(
            invoice.metadata["year"].to_string(),
            text(&invoice, "invoice_date")[..4],
            "{}",
            invoice.id
        );
    }
}

#[test]
fn a_solvent_has_a_data_sheet_and_two_certificates() {
    let certificates = documents("certificates");
    for solvent in ["acetone", "ethanol", "toluene", "isopropanol"] {
        let sheet = documents("datasheets").into_iter().find(|one| one.id == solvent).unwrap();
        assert!(sheet.text.contains("boiling point") && sheet.text.contains("flash point"), "{solvent}");
        assert!(!sheet.text.contains("purity"), "{solvent}: the certificate alone knows");
        let of_it: Vec<&Document> =
            certificates.iter().filter(|one| text(one, "product") == solvent).collect();
        assert!(of_it.iter().any(|one| one.text.contains("purity")), "{solvent}");
        assert!(of_it.iter().any(|one| one.text.contains("Safety certificate")), "{solvent}");
    }
}

#[test]
fn every_manual_is_long_and_the_maintenance_of_b_120_is_spread_over_sections() {
    let kb = corpus();
    for manual in documents("manuals") {
        let view = serde_json::to_value(kb.document("manuals", &manual.id).unwrap()).unwrap();
        let chunks = view["chunks"].as_array().unwrap().len();
        assert!(chunks >= 30, "{}: {chunks}", manual.id);
    }
    let found =
        search("maintenance step", "manuals", 50, Some(json!({ "product": "battery cabinet B-120" })));
    let steps: std::collections::BTreeSet<&String> = found
        .hits
        .iter()
        .filter_map(|hit| hit.chunk.headings.last())
        .filter(|heading| heading.starts_with("Step "))
        .collect();
    assert_eq!(steps.len(), 6);
}

#[test]
fn genserver_and_agent_are_explained_apart_and_compared() {
    for (collection, both) in [("docs", 1), ("faq", 1), ("api", 0)] {
        let all = documents(collection);
        let count = |wanted: &[&str]| {
            all.iter().filter(|one| wanted.iter().all(|word| one.text.contains(word))).count()
        };
        assert!(count(&["GenServer"]) > 0 && count(&["Agent"]) > 0, "{collection}");
        assert!(count(&["GenServer", "Agent"]) >= both, "{collection}");
    }
}
