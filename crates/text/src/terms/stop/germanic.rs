//! Stop words of Dutch and German: sorted, lower case, NFC.

#[rustfmt::skip] // a list reads better in full lines
pub(super) const DUTCH: &[&str] = &[
    "aan", "al", "alle", "alles", "als", "altijd", "andere", "ben", "bij", "daar", "dan", "dat", "de",
    "der", "deze", "die", "dit", "doch", "doen", "door", "dus", "een", "eens", "en", "er", "ge", "geen",
    "geweest", "haar", "had", "hadden", "heb", "hebben", "heeft", "hem", "het", "hier", "hij", "hoe",
    "hoewel", "hun", "iemand", "iets", "ik", "in", "is", "ja", "je", "jij", "jou", "jouw", "jullie",
    "kan", "kon", "kunnen", "maar", "me", "meer", "men", "met", "mij", "mijn", "moet", "moeten", "na",
    "naar", "niet", "niets", "nog", "nu", "of", "om", "omdat", "onder", "ons", "onze", "ook", "op",
    "over", "reeds", "te", "tegen", "terwijl", "tijdens", "toch", "toen", "tot", "tussen", "u", "uit",
    "uw", "van", "veel", "voor", "waar", "waarom", "wanneer", "want", "waren", "was", "wat", "we",
    "welk", "welke", "werd", "werden", "wie", "wij", "wil", "worden", "wordt", "zal", "ze", "zelf",
    "zich", "zij", "zijn", "zo", "zonder", "zou", "zouden", "zowel",
];

#[rustfmt::skip] // a list reads better in full lines
pub(super) const GERMAN: &[&str] = &[
    "aber", "alle", "allem", "allen", "aller", "alles", "als", "also", "am", "an", "ander", "andere",
    "anderem", "anderen", "anderer", "anderes", "auch", "auf", "aus", "bei", "beim", "bin", "bis",
    "bist", "da", "damit", "dann", "das", "dass", "dasselbe", "dazu", "daß", "dein", "deine", "deinem",
    "deinen", "deiner", "dem", "den", "denn", "der", "deren", "des", "dessen", "dich", "die", "dies",
    "diese", "diesem", "diesen", "dieser", "dieses", "dir", "doch", "dort", "du", "durch", "ein",
    "eine", "einem", "einen", "einer", "eines", "er", "es", "etwas", "euch", "euer", "eure", "für",
    "gegen", "hab", "habe", "haben", "hat", "hatte", "hatten", "hier", "hin", "hinter", "ich", "ihm",
    "ihn", "ihnen", "ihr", "ihre", "ihrem", "ihren", "ihrer", "im", "in", "indem", "ins", "ist", "jede",
    "jedem", "jeden", "jeder", "jedes", "jene", "jenem", "jenen", "jener", "jenes", "jetzt", "kann",
    "kannst", "kein", "keine", "keinem", "keinen", "keiner", "können", "könnte", "machen", "man",
    "manche", "mein", "meine", "meinem", "meinen", "meiner", "mich", "mir", "mit", "muss", "musste",
    "nach", "nicht", "nichts", "noch", "nun", "nur", "ob", "oder", "ohne", "sehr", "sein", "seine",
    "seinem", "seinen", "seiner", "seit", "selbst", "sich", "sie", "sind", "so", "solche", "soll",
    "sollte", "sondern", "sonst", "um", "und", "uns", "unser", "unsere", "unter", "viel", "vom", "von",
    "vor", "wann", "war", "waren", "warst", "warum", "was", "weil", "welche", "welchem", "welchen",
    "welcher", "welches", "wenn", "wer", "werde", "werden", "wie", "wieder", "will", "wir", "wird",
    "wirst", "wo", "wohin", "wollen", "wollte", "wurde", "wurden", "während", "würde", "würden", "zu",
    "zum", "zur", "zwar", "zwischen", "über",
];
