//! Questions over tables with verbs: those that are true of all rows are skipped, others select rows or are declined.

use super::tables::{asked, library};
use vademecum::engine::KnowledgeBase;

/// Checks the beginnings of answers; `None` if the question is left to passages.
fn check(kb: &KnowledgeBase, cases: &[(&str, Option<&str>)]) {
    for (question, expected) in cases {
        let result = asked(kb, question);
        let answer = result.output.as_ref().and(result.answer.as_deref());
        match expected {
            Some(beginning) => {
                assert!(answer.is_some_and(|answer| answer.starts_with(beginning)), "{question}: {answer:?}");
            }
            None => assert_eq!(answer, None, "{question}"),
        }
    }
}

const WORKSHOP: &str = "Ticket,Date,Object,Category,Weight (kg),Result,Donation,Minutes\n1,13/01/2024,lamp,electrical,1.5,fixed,£4.00,30\n\
    2,13/01/2024,coat,textile,2.0,not fixed,,45\n3,10/02/2024,bicycle,bicycle,15.0,fixed,£2.50,60\n4,10/02/2024,bag,textile,1.0,fixed,£1.00,15";

#[test]
fn verbs_for_what_was_done_with_all_rows_add_nothing() {
    let kb = library(&[("repair-shop.csv", WORKSHOP)]);
    check(
        &kb,
        &[
            (
                "What was the average number of minutes spent on textile items?",
                Some("The average of Minutes is 30, "),
            ),
            (
                "How much money was donated in February 2024?",
                Some("The sum of Donation is 3.5 GBP, over the 2 rows"),
            ),
            ("heaviest object brought to the repair shop", Some("bicycle (Weight (kg) 15.0, ")),
            // Of rows that have a result, not all are done.
            ("How many repairs were done in January?", None),
            ("How much money was spent in February 2024?", None),
            ("How much money was refunded in February 2024?", None),
            ("heaviest object brought to the station", None),
        ],
    );
    let kb = library(&[(
        "firings.csv",
        "firing,day,kind,kwh\nF1,2024-01-05,glaze,40.5\nF2,2024-01-19,bisque,30.0\nF3,2024-02-02,glaze,41.0",
    )]);
    check(
        &kb,
        &[
            (
                "How many glaze firings have we done since 1 January 2024?",
                Some("There are 2 rows in firings.csv"),
            ),
            ("How many glaze firings have been cancelled since 1 January 2024?", None),
        ],
    );
}

#[test]
fn what_was_spread_is_summed_up_and_a_spread_is_a_range() {
    let kb = library(&[(
        "winter.csv",
        "run,date,route,salt_tonnes\nV1,03-01-2024,North,2.5\nV2,17-01-2024,South,3.5\nV3,02-02-2024,North,1.5",
    )]);
    check(
        &kb,
        &[
            (
                "How many tonnes of salt were spread in January 2024?",
                Some("The sum of salt_tonnes is 6 t, over the 2 rows"),
            ),
            (
                "How much salt was spread in total on North in 2024?",
                Some("The sum of salt_tonnes is 4 t, over the 2 rows"),
            ),
            (
                "Which route has the greatest spread of salt?",
                Some("Difference between maximum and minimum of salt_tonnes by route"),
            ),
            ("What is the spread of salt?", Some("The difference between maximum and minimum")),
        ],
    );
}

#[test]
fn a_column_called_count_tells_how_many_there_were() {
    let moths = "night,species,count\n2024-07-05,Heart and Dart,24\n2024-07-05,Large Yellow Underwing,3\n2024-07-19,Large Yellow Underwing,21\n2024-08-02,Heart and Dart,";
    let kb = library(&[("moths.csv", moths)]);
    check(
        &kb,
        &[
            ("How many Large Yellow Underwings did I count in July 2024?", Some("The sum of count is 24, ")),
            ("What was the total number of moths in July 2024?", Some("The sum of count is 48, ")),
            ("How many rows are there in July 2024?", Some("There are 3 rows")),
            ("Which species had the highest total?", Some("Sum of count by species, the greatest first")),
        ],
    );
    check(&kb, &[("How often was Heart and Dart recorded in July 2024?", Some("There is 1 row"))]);
    check(
        &kb,
        &[("How many Heart and Dart moths were there in July 2024?", Some("The sum of count is 24, "))],
    );
    let admirals = "date,butterfly,count\n2024-06-05,Red Admiral,24\n2024-06-19,Comma,21";
    check(&library(&[("garden.csv", admirals)]), &[("How many Red Admirals were there in June 2024?", None)]);
    // A region is no thing that is counted, and a visit may be a row.
    let surveys = "survey,region,count\nS1,North,24\nS2,North,21\nS3,South,1";
    check(
        &library(&[("surveys.csv", surveys)]),
        &[("How many North surveys were there?", Some("There are 2 rows"))],
    );
    let visits = "date,site,count\n2024-07-05,Lake,24\n2024-07-19,Lake,21";
    check(&library(&[("visits.csv", visits)]), &[("How many visits were there in July 2024?", None)]);
    // What is measured besides is not ordered by the count.
    let birds = "species,length_cm,weight_g,count\nwren,9.5,9,30\nheron,95,1500,2";
    check(&library(&[("birds.csv", birds)]), &[("Which is the largest bird?", None)]);
    // Where each row has a name, rows may be meant.
    let surveys = "survey,date,count\nS1,2024-07-05,24\nS2,2024-07-19,21";
    check(&library(&[("surveys.csv", surveys)]), &[("How many surveys were there in July 2024?", None)]);
}

#[test]
fn currencies_and_events_in_the_name_of_the_table_are_understood() {
    let shipments = "id,ship_date,carrier,core,boxes,freight,currency\nK1,2024-01-17,Nord,A,4,100.00,EUR\nK2,2024-02-11,Nord,B,2,50.00,USD\nK3,2024-03-12,Polar,A,6,300.00,EUR";
    let kb = library(&[("shipments.csv", shipments)]);
    check(
        &kb,
        &[
            (
                "What is the average freight of Nord shipments billed in EUR?",
                Some("The average of freight is 100, over the 1 row"),
            ),
            ("number of boxes sent per core", Some("Sum of boxes by core")),
            ("number of boxes returned per core", None),
        ],
    );
    let parts = "date,part,cost\n2024-06-30,valve,10.00\n2024-07-01,pump,20.00\n2024-12-31,hose,5.50\n2025-01-01,cap,1.00";
    check(
        &library(&[("parts.csv", parts)]),
        &[(
            "what did we spend on parts from 1 July 2024 to the end of December 2024",
            Some("The sum of cost is 25.5"),
        )],
    );
    let invoices = "invoice,amount,currency,paid\nR1,10,EUR,yes\nR2,20,EUR,no\nR3,5,USD,yes";
    check(
        &library(&[("invoices.csv", invoices)]),
        &[
            ("How many invoices were paid in EUR?", Some("There is 1 row")),
            ("How many invoices were billed in EUR?", Some("There are 2 rows")),
        ],
    );
    let tasks = "task,due,owner\npaint,2031-01-05,Jo\nsweep,2031-01-07,Al";
    check(&library(&[("tasks.csv", tasks)]), &[("How many tasks were done in January?", None)]);
    check(&kb, &[("How many shipments have been sent?", None)]);
    let orders = "order,item,price\nO1,lamp,5\nO1,cord,2\nO2,desk,90\nO3,lamp,5";
    check(&library(&[("orders.csv", orders)]), &[("Which order has the most items?", None)]);
    let expenses =
        "date,category,amount\n2024-01-05,Food,10.50\n2024-01-07,Food,2.00\n2024-01-09,Rent,500.00";
    check(
        &library(&[("expenses.csv", expenses)]),
        &[("How much money went to each category?", Some("Sum of amount by category"))],
    );
    let flats = "flat,city,rent\nF1,Lund,500.00\nF2,Lund,700.00\nF3,Ystad,400.00";
    check(&library(&[("flats.csv", flats)]), &[("How much are the flats in each city?", None)]);
    let pumps = "pump,maker,price\nP1,Acme,100.00\nP2,Acme,140.00";
    let priced = asked(&library(&[("pumps.csv", pumps)]), "How much are the Acme pumps priced at?");
    assert!(priced.answer.is_none_or(|answer| !answer.contains("sum")));
    let samples = "sample,date,kind,temperature\nS1,2024-01-05,water,10\nS2,2024-01-06,water,20";
    let brought = asked(
        &library(&[("lab.csv", samples)]),
        "What was the temperature of the water samples brought to the lab?",
    );
    assert!(brought.answer.is_none_or(|answer| !answer.contains("sum")));
    let ferries = "Crossing,Date,Boat,Passengers\nC1,2024-04-02,Swift,40\nC2,2024-04-09,Swift,2\nC3,2024-04-11,Tern,7\nC4,2024-05-02,Swift,9";
    check(
        &library(&[("ferries.csv", ferries)]),
        &[
            (
                "How many passengers did the Swift carry in April 2024?",
                Some("The sum of Passengers is 42, over the 2 rows"),
            ),
            ("How many passengers did the Swift refuse in April 2024?", None),
        ],
    );
    // Contracts may end later.
    let contracts = "contract,end_date,fee\nC1,2024-01-17,10\nC2,2031-02-11,20";
    check(&library(&[("contracts.csv", contracts)]), &[("How many contracts have ended?", None)]);
}

#[test]
fn dates_with_dashes_have_their_day_first_unless_a_day_says_otherwise() {
    let of = |dates: [&str; 2]| {
        let lines = format!("run,code,date,km\nR1,,{},10\nR2,,{},20", dates[0], dates[1]);
        let kb = library(&[("runs.csv", &lines)]);
        asked(&kb, "What is the total km in January 2024?").answer.unwrap()
    };
    assert!(of(["03-01-2024", "17-02-2024"]).starts_with("The sum of km is 10, "));
    assert!(of(["03-01-2024", "05-02-2024"]).starts_with("The sum of km is 10, "));
    assert!(of(["01-03-2024", "01-17-2024"]).starts_with("The sum of km is 30, "));
    assert!(of(["03-01-24", "05-02-24"]).starts_with("The sum of km is 10, "));
    assert!(of(["01-03-2024 08:00", "01-17-2024 09:00"]).starts_with("The sum of km is 30, "));
    assert!(of(["01/03/2024", "02/05/2024"]).starts_with("The sum of km is 10, "));
}
