//! Stop words of Danish, Norwegian and Swedish: sorted, lower case, NFC.

#[rustfmt::skip] // a list reads better in full lines
pub(super) const DANISH: &[&str] = &[
    "ad", "af", "alle", "alt", "anden", "at", "blev", "blive", "bliver", "da", "de", "dem", "den",
    "denne", "der", "deres", "det", "dette", "dig", "din", "disse", "dog", "du", "efter", "eller", "en",
    "end", "er", "et", "for", "fordi", "fra", "gennem", "ham", "han", "hans", "har", "havde", "have",
    "hende", "hendes", "her", "hos", "hun", "hvad", "hvem", "hver", "hvilken", "hvis", "hvor",
    "hvordan", "hvorfor", "hvornår", "i", "ikke", "ind", "jeg", "jer", "jeres", "kan", "kunne", "man",
    "mange", "med", "meget", "mellem", "men", "mig", "min", "mine", "mit", "mod", "ned", "nogen",
    "noget", "nogle", "nu", "når", "og", "også", "om", "op", "os", "over", "på", "sammen", "selv",
    "sig", "sin", "sine", "sit", "skal", "skulle", "som", "så", "sådan", "thi", "til", "ud", "uden",
    "under", "var", "vi", "vil", "ville", "vor", "være", "været",
];

#[rustfmt::skip] // a list reads better in full lines
pub(super) const NORWEGIAN: &[&str] = &[
    "alle", "andre", "at", "av", "bare", "begge", "ble", "blei", "bli", "blir", "blitt", "da", "de",
    "deg", "dei", "deim", "deira", "dem", "den", "denne", "der", "dere", "deres", "det", "dette", "di",
    "din", "disse", "ditt", "du", "dykk", "då", "eg", "ei", "ein", "eit", "eller", "en", "enn", "er",
    "et", "etter", "for", "fordi", "fra", "før", "ha", "hadde", "han", "hans", "har", "henne", "hennes",
    "her", "hos", "hun", "hva", "hvem", "hver", "hvilke", "hvilken", "hvis", "hvor", "hvordan",
    "hvorfor", "i", "ikke", "ikkje", "inn", "ja", "jeg", "kan", "korleis", "kun", "kunne", "kva",
    "kven", "man", "mange", "med", "meg", "meget", "mellom", "men", "mer", "mi", "min", "mine", "mitt",
    "mot", "mye", "må", "ned", "no", "noe", "noen", "noko", "nokon", "nå", "når", "og", "også", "om",
    "opp", "oss", "over", "på", "samme", "seg", "selv", "si", "sin", "sine", "sitt", "skal", "skulle",
    "slik", "som", "så", "til", "um", "under", "ut", "uten", "var", "vart", "ved", "vi", "vil", "ville",
    "vore", "vår", "være", "vært",
];

#[rustfmt::skip] // a list reads better in full lines
pub(super) const SWEDISH: &[&str] = &[
    "alla", "allt", "att", "av", "bara", "blev", "bli", "blir", "blivit", "de", "dem", "den", "denna",
    "deras", "dess", "dessa", "det", "detta", "dig", "din", "dina", "ditt", "du", "där", "då", "efter",
    "ej", "eller", "en", "er", "era", "ett", "från", "för", "genom", "ha", "hade", "han", "hans", "har",
    "henne", "hennes", "hon", "honom", "hur", "här", "i", "icke", "ingen", "inom", "inte", "jag", "ju",
    "kan", "kunde", "man", "med", "mellan", "men", "mig", "min", "mina", "mitt", "mot", "mycket", "ni",
    "nu", "när", "någon", "något", "några", "och", "också", "om", "oss", "på", "samma", "sedan", "sig",
    "sin", "sina", "sitt", "ska", "skall", "skulle", "som", "så", "sådan", "till", "under", "upp", "ut",
    "utan", "vad", "var", "vara", "varför", "varit", "varje", "vars", "vart", "vem", "vi", "vid",
    "vilka", "vilken", "vilket", "vår", "våra", "är", "åt", "över",
];
