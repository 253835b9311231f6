//! The words with which questions over tables are asked.

use super::query::{Aggregate, Comparison};
use super::table::stem;
use std::collections::BTreeSet;
use vademecum_util::within::Within;

/// What a phrase says in a question over a table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::steps) enum Word {
    /// Before an amount; with words for the columns it is about.
    Compare(Comparison, &'static str),
    /// Behind an amount: "or more".
    Behind(Comparison),
    Between,
    And,
    Or,
    Not,
    /// "no", "without": a value that is not there, or one that is not wanted.
    Without,
    Missing,
    Present,
    In,
    Before,
    After,
    Since,
    Until,
    From,
    To,
    By,
    Per,
    Aggregate(Aggregate),
    /// The end of an order: greatest or not, with words for the column.
    Extreme(bool, &'static str),
    /// "most common".
    Frequent(bool),
    Ordinal(usize),
    Top(bool),
    HowMany,
    HowMuch,
    /// "how old", "how large": with words for the column.
    How(&'static str),
    Share,
    Different,
    /// "in total", "altogether".
    Overall,
    Which,
    What,
    Who,
    When,
    Where,
    List,
    Any,
    /// An auxiliary verb.
    Auxiliary,
    Filler,
    /// A word for rows of any table.
    Rows,
    /// A word for people.
    People,
    /// "and newer", "descending", and the like behind "by".
    Order(bool),
}

use Comparison::{AtLeast, AtMost, Equal, Less, More};
use Word::*;

const SIZE: &str = "size area surface volume";
const AGE: &str = "age";
const DATE: &str = "date year day time";
/// Words of columns for prices.
pub(in crate::steps) const PRICE: &str = "price cost amount total rent fee value fare budget";
const LENGTH: &str = "length duration time runtime pages distance height";

/// Phrases of lowercase words. The longest that fits is taken.
#[rustfmt::skip]
const PHRASES: &[(&str, Word)] = &[
    ("more than", Compare(More, "")), ("more then", Compare(More, "")), ("less then", Compare(Less, "")), ("higher then", Compare(More, "")), ("lower then", Compare(Less, "")), ("greater than", Compare(More, "")), ("higher than", Compare(More, "")),
    ("larger than", Compare(More, SIZE)), ("bigger than", Compare(More, SIZE)), ("in excess of", Compare(More, "")),
    ("over", Compare(More, "")), ("above", Compare(More, "")), ("exceeding", Compare(More, "")), ("exceed", Compare(More, "")),
    ("exceeds", Compare(More, "")), ("exceeded", Compare(More, "")), (">", Compare(More, "")), ("older than", Compare(More, AGE)),
    ("longer than", Compare(More, LENGTH)), ("heavier than", Compare(More, "weight mass")), ("taller than", Compare(More, "height")),
    ("faster than", Compare(More, "speed")), ("more expensive than", Compare(More, PRICE)), ("better than", Compare(More, "rating score")),
    ("upwards of", Compare(AtLeast, "")), ("at least", Compare(AtLeast, "")), ("no less than", Compare(AtLeast, "")),
    ("not less than", Compare(AtLeast, "")), ("no fewer than", Compare(AtLeast, "")), ("not fewer than", Compare(AtLeast, "")),
    ("a minimum of", Compare(AtLeast, "")), ("minimum of", Compare(AtLeast, "")), (">=", Compare(AtLeast, "")), ("≥", Compare(AtLeast, "")), ("starting at", Compare(AtLeast, "")),
    ("less than", Compare(Less, "")), ("fewer than", Compare(Less, "")), ("lower than", Compare(Less, "")), ("smaller than", Compare(Less, SIZE)),
    ("under", Compare(Less, "")), ("below", Compare(Less, "")), ("<", Compare(Less, "")), ("younger than", Compare(Less, AGE)),
    ("shorter than", Compare(Less, LENGTH)), ("lighter than", Compare(Less, "weight mass")), ("cheaper than", Compare(Less, PRICE)),
    ("less expensive than", Compare(Less, PRICE)), ("slower than", Compare(Less, "speed")), ("worse than", Compare(Less, "rating score")),
    ("at most", Compare(AtMost, "")), ("no more than", Compare(AtMost, "")), ("not more than", Compare(AtMost, "")), ("no higher than", Compare(AtMost, "")),
    ("not over", Compare(AtMost, "")), ("not above", Compare(AtMost, "")), ("not exceeding", Compare(AtMost, "")), ("a maximum of", Compare(AtMost, "")),
    ("maximum of", Compare(AtMost, "")), ("up to", Compare(AtMost, "")), ("<=", Compare(AtMost, "")), ("≤", Compare(AtMost, "")),
    ("exactly", Compare(Equal, "")), ("equal to", Compare(Equal, "")), ("equals", Compare(Equal, "")), ("=", Compare(Equal, "")), ("precisely", Compare(Equal, "")),
    ("or more", Behind(AtLeast)), ("or higher", Behind(AtLeast)), ("or above", Behind(AtLeast)), ("or greater", Behind(AtLeast)), ("or better", Behind(AtLeast)),
    ("or over", Behind(AtLeast)), ("and above", Behind(AtLeast)), ("and over", Behind(AtLeast)), ("and more", Behind(AtLeast)), ("and up", Behind(AtLeast)),
    ("and higher", Behind(AtLeast)), ("or older", Behind(AtLeast)), ("or later", Behind(AtLeast)), ("or newer", Behind(AtLeast)), ("and later", Behind(AtLeast)), ("and newer", Behind(AtLeast)),
    ("or larger", Behind(AtLeast)), ("or longer", Behind(AtLeast)), ("or less", Behind(AtMost)), ("or fewer", Behind(AtMost)), ("or lower", Behind(AtMost)),
    ("or below", Behind(AtMost)), ("or under", Behind(AtMost)), ("and below", Behind(AtMost)), ("and under", Behind(AtMost)), ("or younger", Behind(AtMost)),
    ("or earlier", Behind(AtMost)), ("or older than that", Behind(AtMost)), ("and earlier", Behind(AtMost)), ("or smaller", Behind(AtMost)), ("or cheaper", Behind(AtMost)), ("onwards", Behind(AtLeast)), ("onward", Behind(AtLeast)),
    ("between", Between), ("and", And), (",", And), ("&", And), ("as well as", And), ("but", And), ("plus", And), ("or", Or),
    ("not", Not), ("neither", Not), ("nor", Not), ("never", Not), ("except", Not), ("except for", Not), ("excluding", Not), ("other than", Not), ("apart from", Not),
    ("aside from", Not), ("besides", Not), ("outside", Not), ("outside of", Not), ("isn't", Not), ("aren't", Not), ("wasn't", Not), ("weren't", Not), ("don't", Not), ("doesn't", Not),
    ("didn't", Not), ("hasn't", Not), ("haven't", Not), ("non", Not), ("but not", Not), ("and not", Not), ("anything but", Not), ("everyone but", Not), ("everybody but", Not), ("anyone but", Not), ("all but", Not), ("everything but", Not), ("rather than", Not),
    ("no", Without), ("without", Without), ("without any", Without), ("lack", Without), ("lacks", Without), ("lacking", Without), ("w/o", Without), ("no information about", Missing), ("no information on", Missing), ("no value for", Missing), ("no data on", Missing), ("missing", Missing), ("empty", Missing), ("blank", Missing), ("unknown", Missing),
    ("undefined", Missing), ("unspecified", Missing), ("not set", Missing), ("not given", Missing), ("not specified", Missing), ("not known", Missing), ("not recorded", Missing), ("not available", Missing), ("not yet", Not), ("out of", Without),
    ("is known", Present), ("are known", Present), ("is set", Present), ("is given", Present), ("non empty", Present), ("known", Present),
    ("in", In), ("during", In), ("on", In), ("of", In), ("for", In), ("at", In), ("throughout", In), ("within", In), ("dated", In), ("in the year", In), ("of the year", In), ("for the year", In), ("in the month of", In),
    ("before", Before), ("prior to", Before), ("earlier than", Before), ("ahead of", Before), ("older", Before), ("after", After), ("later than", After), ("newer than", After), ("more recent than", After), ("more recently than", After), ("following", After),
    ("since", Since), ("as of", Since), ("starting", Since), ("starting from", Since), ("starting in", Since), ("beginning in", Since), ("until", Until), ("till", Until), ("through", Until), ("by the end of", Until), ("up until", Until), ("up to and including", Until), ("no later than", Until), ("not later than", Until),
    ("not before", Since), ("no earlier than", Since), ("not after", Until), ("from", From), ("to", To), ("to the end of", To), ("until the end of", Until), ("through the end of", Until), ("by", By), ("sorted by", By), ("ordered by", By), ("ranked by", By), ("in terms of", By), ("measured by", By), ("according to", By),
    ("per", Per), ("for each", Per), ("in each", Per), ("of each", Per), ("each", Per), ("for every", Per), ("in every", Per), ("of every", Per), ("from each", Per), ("at each", Per), ("by each", Per), ("grouped by", Per), ("group by", Per), ("broken down by", Per), ("split by", Per),
    ("sum", Aggregate(Aggregate::Sum)), ("total", Aggregate(Aggregate::Sum)), ("totals", Aggregate(Aggregate::Sum)), ("combined", Aggregate(Aggregate::Sum)), ("sum up", Aggregate(Aggregate::Sum)), ("add up", Aggregate(Aggregate::Sum)), ("cumulative", Aggregate(Aggregate::Sum)), ("overall", Aggregate(Aggregate::Sum)), ("aggregate", Aggregate(Aggregate::Sum)), ("sum total", Aggregate(Aggregate::Sum)),
    ("average", Aggregate(Aggregate::Mean)), ("averages", Aggregate(Aggregate::Mean)), ("mean", Aggregate(Aggregate::Mean)), ("avg", Aggregate(Aggregate::Mean)), ("on average", Aggregate(Aggregate::Mean)), ("typical", Aggregate(Aggregate::Mean)),
    ("median", Aggregate(Aggregate::Median)), ("difference between the highest and lowest", Aggregate(Aggregate::Spread)), ("difference between the highest and the lowest", Aggregate(Aggregate::Spread)),
    ("difference between the largest and smallest", Aggregate(Aggregate::Spread)), ("difference between the maximum and minimum", Aggregate(Aggregate::Spread)), ("spread", Aggregate(Aggregate::Spread)),
    ("highest", Extreme(true, "")), ("most", Extreme(true, "")), ("largest", Extreme(true, SIZE)), ("biggest", Extreme(true, SIZE)), ("greatest", Extreme(true, "")), ("maximum", Extreme(true, "")), ("max", Extreme(true, "")), ("maximal", Extreme(true, "")), ("best", Extreme(true, "rating score")), ("peak", Extreme(true, "")), ("top-rated", Extreme(true, "rating score")),
    ("lowest", Extreme(false, "")), ("least", Extreme(false, "")), ("fewest", Extreme(false, "")), ("smallest", Extreme(false, SIZE)), ("minimum", Extreme(false, "")), ("min", Extreme(false, "")), ("minimal", Extreme(false, "")), ("worst", Extreme(false, "rating score")),
    ("oldest", Extreme(true, AGE)), ("youngest", Extreme(false, AGE)), ("newest", Extreme(true, DATE)), ("latest", Extreme(true, DATE)), ("most recent", Extreme(true, DATE)), ("most recently", Extreme(true, DATE)), ("last", Extreme(true, DATE)), ("earliest", Extreme(false, DATE)), ("first", Extreme(false, DATE)), ("least recent", Extreme(false, DATE)), ("soonest", Extreme(false, DATE)),
    ("cheapest", Extreme(false, PRICE)), ("least expensive", Extreme(false, PRICE)), ("most expensive", Extreme(true, PRICE)), ("priciest", Extreme(true, PRICE)), ("costliest", Extreme(true, PRICE)), ("dearest", Extreme(true, PRICE)), ("most valuable", Extreme(true, "value price worth amount total")), ("most costly", Extreme(true, PRICE)),
    ("heaviest", Extreme(true, "weight mass")), ("lightest", Extreme(false, "weight mass")), ("longest", Extreme(true, LENGTH)), ("shortest", Extreme(false, LENGTH)), ("tallest", Extreme(true, "height")), ("best-paid", Extreme(true, "salary income wage pay")), ("worst-paid", Extreme(false, "salary income wage pay")), ("highest-paid", Extreme(true, "salary income wage pay")), ("richest", Extreme(true, "salary income wealth revenue")), ("lowest-paid", Extreme(false, "salary income wage pay")),
    ("fastest", Extreme(true, "speed velocity")), ("slowest", Extreme(false, "speed velocity")), ("hottest", Extreme(true, "temperature")), ("warmest", Extreme(true, "temperature")), ("coldest", Extreme(false, "temperature")), ("deepest", Extreme(true, "depth")), ("farthest", Extreme(true, "distance")), ("furthest", Extreme(true, "distance")), ("nearest", Extreme(false, "distance")), ("closest", Extreme(false, "distance")), ("widest", Extreme(true, "width")), ("narrowest", Extreme(false, "width")), ("most populous", Extreme(true, "population inhabitants")), ("least populous", Extreme(false, "population inhabitants")), ("most powerful", Extreme(true, "power")), ("strongest", Extreme(true, "power strength")), ("longest-serving", Extreme(false, "hire start join date")),
    ("most common", Frequent(true)), ("most frequent", Frequent(true)), ("most frequently", Frequent(true)), ("most often", Frequent(true)), ("most popular", Frequent(true)), ("least common", Frequent(false)), ("least frequent", Frequent(false)), ("least often", Frequent(false)), ("rarest", Frequent(false)),
    ("second", Ordinal(2)), ("third", Ordinal(3)), ("fourth", Ordinal(4)), ("fifth", Ordinal(5)), ("sixth", Ordinal(6)), ("seventh", Ordinal(7)), ("eighth", Ordinal(8)), ("ninth", Ordinal(9)), ("tenth", Ordinal(10)), ("2nd", Ordinal(2)), ("3rd", Ordinal(3)), ("4th", Ordinal(4)), ("5th", Ordinal(5)),
    ("top", Top(true)), ("bottom", Top(false)), ("descending", Order(true)), ("ascending", Order(false)), ("in descending order", Order(true)), ("in ascending order", Order(false)),
    ("how many", HowMany), ("number of", HowMany), ("count of", HowMany), ("count", HowMany), ("how often", HowMany), ("how many times", HowMany), ("how much", HowMuch), ("how much money", HowMuch), ("what amount", HowMuch), ("total number of", HowMany), ("total count of", HowMany),
    ("how old", How(AGE)), ("how large", How(SIZE)), ("how big", How(SIZE)), ("how long", How(LENGTH)), ("how tall", How("height")), ("how high", How("height")), ("how heavy", How("weight mass")), ("how expensive", How(PRICE)), ("how far", How("distance range")), ("how fast", How("speed")), ("how wide", How("width")), ("how deep", How("depth")), ("how hot", How("temperature")), ("how cold", How("temperature")), ("how full", How("occupancy")),
    ("percentage of", Share), ("percent of", Share), ("what percentage", Share), ("what percent", Share), ("what share", Share), ("share of", Share), ("proportion of", Share), ("fraction of", Share), ("what proportion", Share), ("what percentage of", Share), ("what percent of", Share), ("what proportion of", Share), ("what share of", Share), ("what fraction of", Share),
    ("different", Different), ("distinct", Different), ("unique", Different), ("in total", Overall), ("altogether", Overall), ("all together", Overall), ("in all", Overall), ("overall total", Overall), ("together", Overall), ("take place", Filler), ("takes place", Filler), ("took place", Filler), ("taking place", Filler), ("all in all", Overall), ("in sum", Overall),
    ("which", Which), ("what", What), ("who", Who), ("whom", Who), ("whose", Who), ("when", When), ("where", Where), ("list", List), ("show", List), ("show me", List), ("give", List), ("give me", List), ("find", List), ("name", List), ("display", List), ("enumerate", List), ("get", List), ("print", List), ("return", List), ("tell me", List), ("find me", List), ("i need", List), ("i want", List), ("names of", List), ("list of", List), ("identify", List), ("fetch", List), ("select", List),
    ("is there", Any), ("are there", Auxiliary), ("are there any", Any), ("is there any", Any), ("is there a", Any), ("is there an", Any), ("were there any", Any), ("was there any", Any), ("were there", Auxiliary), ("do any", Any), ("does any", Any), ("did any", Any), ("does anyone", Any), ("does anybody", Any), ("did anyone", Any), ("has any", Any), ("have any", Any), ("is any", Any), ("are any", Any), ("is anyone", Any), ("has anyone", Any), ("do we have any", Any), ("do we have", Any), ("was there", Any),
    ("is", Auxiliary), ("are", Auxiliary), ("was", Auxiliary), ("were", Auxiliary), ("be", Auxiliary), ("been", Auxiliary), ("being", Auxiliary), ("do", Auxiliary), ("does", Auxiliary), ("did", Auxiliary), ("has", Auxiliary), ("have", Auxiliary), ("had", Auxiliary), ("having", Auxiliary), ("can", Auxiliary), ("will", Auxiliary), ("would", Auxiliary),
];
/// Words that change nothing.
const FILLERS: &str = "a an the all any some this that these those there it its them they their he his she her we us our my i \
    you your me with also still currently already please could as either into onto please can may might \
    work works working worked make makes made come comes came go goes went get gets got belong belongs belonged exist exists \
    existed placed place recorded registered listed entered given contained contain contains include includes including shows \
    everything everyone everybody anyone anybody anything respectively whole entire full complete following \
    corresponding values field fields column columns hold holds held own owns owned happen happens happened occur occurred took become becomes became receive receives received reach \
    reached achieve achieved \
    take takes compute calculate computed calculated determine know see want need like marked labelled labeled tagged called \
    named stated table csv list individual single respective one ones someone somebody found use uses used using among amongst across \
    's who's what's where's when's whose which that many much";
/// Fillers that are one only before a condition: "still open", but not "still here".
const OF_STATES: [&str; 3] = ["still", "currently", "already"];
/// Units of time that "last" and "this" make a part of the calendar.
const CALENDAR: &str = "day days night week weeks weekend month months quarter quarters year years decade decades century hour hours";
/// Words of questions that no table answers: they ask for texts, select by what no column says, or relate rows to each other.
const BEYOND: &str = "why how about if should must shall because mean means meaning explain describe summarize summarise compare \
    out up back yet only just ever even more less fewer few several than then so too other others another else same both every again once twice half nobody none nothing \
    now today yesterday tomorrow tonight ago recent recently soon next previous past current upcoming win wins won lose loses lost \
    man men woman women boy boys girl girls male males female females";
const ROWS: &str = "row rows record records entry entries item items document documents ones thing things result listing listings line lines case cases";
const PEOPLE: &str = "people person persons employee employees staff worker workers member members colleague colleagues individual individuals \
    student students patient patients customer customers client clients user users candidate candidates applicant applicants \
    teacher teachers player players driver drivers guest guests participant participants contact contacts everyone everybody anyone anybody";
/// Maximum number of words without a question that may select rows.
const MAX_KEYWORDS: usize = 5;
/// Words for all people.
const ANYONE: &str =
    "people person persons individual individuals everyone everybody anyone anybody someone somebody";
/// Words for people who work somewhere.
const WORKERS: &str = "employee employees staff worker workers colleague colleagues";

/// Words of columns for numbers of pieces.
pub(in crate::steps) const PIECES: &str = "quantity qty units pieces";

/// Words that mean the same as names of columns: nouns, then verbs and adjectives that say something about them.
const MEANINGS: [(&str, &str); 58] = [
    (
        "salary wage income pay compensation earnings remuneration",
        "earn earns earned earning paid make makes pays",
    ),
    ("price cost fee charge fare rent tariff", "cost costs costing charge charged priced"),
    (
        "amount total sum value expense expenditure spending cost price",
        "spend spent spends pay paid pays cost costs worth expenses totalling totaling charged",
    ),
    ("revenue sales turnover income total amount", ""),
    ("spent spend spending expense expenditure", "spend spends spent"),
    ("gross box office", "gross grossed grossing earned"),
    ("profit margin earnings", ""),
    ("temperature temp", ""),
    (
        "city town location place site municipality",
        "live lives living based located reside situated stationed",
    ),
    ("country nation", "live lives living based located"),
    ("office branch site location", "based located work works"),
    ("region area territory state", "located"),
    ("district neighbourhood neighborhood quarter borough area", "located"),
    ("department dept division team unit", ""),
    ("title role position job occupation profession function", ""),
    ("manager supervisor boss lead superior", "report reports reporting managed supervised led manages"),
    (
        "hire hired start join employment entry joining since",
        "hired joined started employed join joining start starting",
    ),
    ("birth birthday born dob birthdate", "born"),
    ("age", "old aged"),
    ("quantity qty units count pieces", "sold ordered bought purchased sell"),
    ("stock inventory quantity", "stocked"),
    ("order ordered purchase purchased bought", "ordered purchased bought placed order"),
    ("ship shipped shipping shipment dispatch", "shipped sent dispatched"),
    ("delivery delivered deliver arrival", "delivered arrived arrive"),
    ("customer client buyer purchaser", ""),
    ("supplier vendor seller provider", "supplied supply supplies sold"),
    ("brand manufacturer make maker producer company", "made manufactured produced built"),
    ("product item article", ""),
    ("category type kind class genre sort", ""),
    ("status state stage condition", ""),
    ("rating score stars mark review", "rated scored"),
    ("duration length time runtime", "last lasts lasted take takes took"),
    ("distance range", ""),
    ("weight mass", "weigh weighs weighed weighing"),
    ("size area surface space", "large big"),
    ("population inhabitants residents people", ""),
    ("capacity seats seating", "seat seats hold holds"),
    ("due deadline", "due"),
    ("payment paid pay", "paid"),
    ("end expiry expiration expire", "expire expires expired expiring end ends ended ending"),
    ("start begin beginning", "start starts started begin begins began starting"),
    ("sign signed signature signing", "signed"),
    ("author writer", "wrote written write writes"),
    ("director", "directed direct directs"),
    ("publication published release released publish issued", "published released appeared issued"),
    ("founded established foundation founding", "founded established"),
    ("year", "built constructed founded published released made produced"),
    ("built construction constructed", "built constructed"),
    ("discount reduction rebate", "discounted"),
    ("gender sex", ""),
    ("language", "speak speaks spoken"),
    ("phone telephone mobile", ""),
    ("nationality country", ""),
    ("name title", "called named"),
    ("date day", "dated issued"),
    ("floor storey level", ""),
    ("arrival", "arrive arrived arrives arriving"),
    ("departure", "depart departs departed departing leave leaves leaving"),
];
/// Words for the name of a row's person, place or time, by question word.
pub(in crate::steps) const PLACES: &str =
    "city town location place country address region office site venue district";

/// Groups of stems with the same meaning.
#[derive(Debug)]
pub(in crate::steps) struct Meanings {
    groups: Vec<(BTreeSet<String>, BTreeSet<String>)>,
}

impl Meanings {
    /// Prepares the groups.
    pub(in crate::steps) fn new() -> Self {
        let stems = |words: &str| words.split_whitespace().map(stem).collect();
        let groups = MEANINGS.iter().map(|(nouns, verbs)| (stems(nouns), stems(verbs))).collect();
        Self { groups }
    }

    /// Returns whether a stem of a question is a noun for a column with this stem in its name.
    pub(in crate::steps) fn is_noun_for(&self, said: &str, name: &str) -> bool {
        self.groups.iter().any(|(nouns, _)| nouns.contains(said) && nouns.contains(name))
    }

    /// Returns whether a stem of a question is a verb or adjective about a column with this stem in its name.
    pub(in crate::steps) fn is_about(&self, said: &str, name: &str) -> bool {
        self.groups.iter().any(|(nouns, verbs)| verbs.contains(said) && nouns.contains(name))
    }
}

/// Words for rows, with words of columns that such rows have.
const NOUNS: [(&str, &str); 11] = [
    (
        "purchase purchases expense expenses payment payments transaction transactions bill bills receipt receipts",
        "amount paid spent shop payee vendor merchant store date",
    ),
    (
        "car cars vehicle vehicles automobile automobiles",
        "make model fuel mileage seats engine horsepower brand",
    ),
    ("book books title titles novel novels", "author isbn publisher pages published genre"),
    ("film films movie movies", "director runtime genre released studio rating"),
    ("flight flights", "departure arrival airline from origin destination stops"),
    (
        "flat flats apartment apartments house houses home homes property properties listing listings",
        "rent rooms bedrooms bathrooms size floor district suburb",
    ),
    ("song songs track tracks", "artist album genre plays"),
    ("order orders purchase purchases sale sales", "order customer quantity total product"),
    ("invoice invoices bill bills", "invoice due amount vendor customer"),
    ("player players", "team goals position assists points club"),
    ("city cities country countries", "population area capital inhabitants"),
];

/// Returns whether the rows of a table with these stems in the names of its columns may be called by a noun.
pub(in crate::steps) fn may_be_called(noun: &str, stems: &BTreeSet<&String>) -> bool {
    let is_of = |(nouns, columns): &(&str, &str)| {
        let known = columns.split(' ').filter(|word| stems.contains(&stem(word))).count();
        nouns.split(' ').any(|one| one == noun) && known > 1
    };
    NOUNS.iter().any(is_of)
}

/// Returns whether a lowercase word is one for the rows of any table.
pub(in crate::steps) fn is_row(low: &str) -> bool {
    ROWS.split_whitespace().any(|one| one == low)
}

/// Returns whether a lowercase word changes nothing.
pub(in crate::steps) fn is_filler(low: &str) -> bool {
    FILLERS.split_whitespace().any(|one| one == low)
}

/// Returns whether a lowercase word changes nothing only before a condition.
pub(in crate::steps) fn is_of_states(low: &str) -> bool {
    OF_STATES.contains(&low)
}

/// Returns whether a lowercase word may be any person, and whether it is someone who works somewhere.
pub(in crate::steps) fn people_of(low: &str) -> (bool, bool) {
    let is_of = |words: &str| words.split_whitespace().any(|one| one == low);
    (is_of(ANYONE), is_of(WORKERS))
}

/// Returns the number of words of a condition at the beginning that rows cannot be tested by: a time relative to today ("last year", "the
/// past 3 months"), or a part of a text ("starts with A").
pub(in crate::steps) fn untold(low: &[&str]) -> Option<usize> {
    let [first, rest @ ..] = low else { return None };
    let parts = ["start", "starts", "starting", "begin", "begins", "beginning", "end", "ends", "ending"];
    if parts.contains(first) && rest.first() == Some(&"with") {
        return Some(2);
    }
    let is_relative = matches!(*first, "last" | "this" | "next" | "past" | "previous" | "current" | "coming");
    let is_unit = |word: &&str| CALENDAR.split(' ').any(|one| one == *word);
    let is_number = |word: &&str| numeral(word).is_some() || word.chars().all(|one| one.is_ascii_digit());
    match rest {
        [unit, ..] if is_relative && is_unit(unit) => Some(2),
        [number, unit, ..] if is_relative && is_number(number) && is_unit(unit) => Some(3),
        _ => None,
    }
}

/// Returns whether a lowercase word is a unit of the calendar.
pub(in crate::steps) fn is_calendar(low: &str) -> bool {
    CALENDAR.split(' ').any(|one| one == low)
}

/// Returns whether a lowercase word asks for more than a table has.
pub(in crate::steps) fn is_beyond(low: &str) -> bool {
    BEYOND.split_whitespace().any(|one| one == low)
}

/// Returns whether a question asks for sizes: it has a number, or a word for a sum or an order.
pub(in crate::steps) fn asks_for_sizes(question: &str) -> bool {
    let low = question.to_lowercase();
    let words: Vec<&str> =
        low.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let is_size = |at: usize| {
        let found = phrase(words.within(at..));
        found.is_some_and(|(word, _)| {
            matches!(word, Aggregate(_) | Extreme(..) | Compare(..) | HowMuch | Overall)
        })
    };
    low.chars().any(|letter| letter.is_ascii_digit()) || (0..words.len()).any(is_size)
}

/// Returns whether a question selects, orders or sums up rows, so that a single one is no answer.
pub(in crate::steps) fn asks_for_rows(question: &str) -> bool {
    let low = question.to_lowercase();
    let words: Vec<&str> = low
        .split_whitespace()
        .map(|word| word.trim_matches(|letter: char| ",;:()?!\"“”.".contains(letter)))
        .filter(|word| !word.is_empty())
        .collect();
    let selects = |at: usize| {
        let found = phrase(words.within(at..));
        found.is_some_and(|(word, _)| {
            let compares = matches!(word, Compare(..) | Between | Not | Without | Missing);
            let dates = matches!(word, Before | After | Since | Until);
            let sums = matches!(word, Aggregate(_) | HowMany | HowMuch | Share | Overall | Per);
            compares || dates || sums || matches!(word, Extreme(..) | Frequent(_) | Top(_) | Which | List)
        })
    };
    (0..words.len()).any(selects) || words.iter().any(|word| matches!(*word, "all" | "every" | "everything"))
}

/// Returns the longest phrase at the beginning of lowercase words, and its length.
pub(in crate::steps) fn phrase(low: &[&str]) -> Option<(Word, usize)> {
    let fits = |phrase: &str| {
        let words: Vec<&str> = phrase.split(' ').collect();
        low.starts_with(&words).then_some(words.len())
    };
    let longest = PHRASES.iter().filter_map(|(phrase, word)| Some((*word, fits(phrase)?)));
    let found = longest.max_by_key(|(_, length)| *length);
    let first = low.first()?;
    let of = |words: &str| words.split_whitespace().any(|one| one == *first);
    found.or_else(|| of(ROWS).then_some((Rows, 1))).or_else(|| of(PEOPLE).then_some((People, 1)))
}

/// Returns a small number written as a word.
pub(in crate::steps) fn numeral(low: &str) -> Option<f64> {
    let names = [
        "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
        "twelve",
    ];
    let at = names.iter().position(|name| *name == low);
    at.map(|at| at as f64).or((low == "twenty").then_some(20.0)).or((low == "dozen").then_some(12.0))
}

/// Returns whether a question may be one over a table, judged by its words alone: it selects, counts, orders or names something.
pub(in crate::steps) fn may_ask(question: &str) -> bool {
    let words: Vec<String> = question
        .split_whitespace()
        .map(|word| word.trim_matches(|letter: char| ",;:()?!\"“”.".contains(letter)).to_owned())
        .filter(|word| !word.is_empty())
        .collect();
    let names = |at: usize, word: &String| {
        (at > 0 && word.chars().any(char::is_uppercase)) || word.chars().any(|letter| letter.is_ascii_digit())
    };
    if words.iter().enumerate().any(|(at, word)| names(at, word)) {
        return true;
    }
    let low: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
    let low: Vec<&str> = low.iter().map(String::as_str).collect();
    let asks_for_all = low.get(1).is_some_and(|second| matches!(*second, "all" | "every"))
        && matches!(phrase(&low), Some((Auxiliary, _)));
    // "Unpaid acme": a few words without a question.
    let asks = |at: usize| {
        let found = phrase(low.within(at..));
        matches!(found, Some((What | Auxiliary, _))) || matches!(low.get(at), Some(&"why" | &"how"))
    };
    let is_short = (2..=MAX_KEYWORDS).contains(&low.len()) && !(0..low.len()).any(asks);
    let owes = low.iter().any(|word| matches!(*word, "owe" | "owes" | "owed"));
    asks_for_all
        || is_short
        || owes
        || (0..low.len()).any(|at| {
            let found = phrase(low.within(at..));
            found.is_some_and(|(word, _)| !matches!(word, What | Filler | Auxiliary | And | Rows | People))
        })
}
