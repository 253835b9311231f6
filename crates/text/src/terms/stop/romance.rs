//! Stop words of the Romance languages: sorted, lower case, NFC. Romanian s and t have cedillas, as its
//! stemmer expects; [`normal`](super::super::normal) converts them.

#[rustfmt::skip] // a list reads better in full lines
pub(super) const FRENCH: &[&str] = &[
    "ai", "ainsi", "alors", "après", "au", "aucun", "aucune", "aussi", "autre", "autres", "aux",
    "avaient", "avait", "avant", "avec", "avez", "avoir", "avons", "ayant", "c", "car", "ce", "ceci",
    "cela", "celle", "celles", "celui", "ces", "cet", "cette", "ceux", "chaque", "chez", "comme",
    "comment", "d", "dans", "de", "depuis", "des", "donc", "dont", "du", "elle", "elles", "en",
    "encore", "entre", "es", "est", "et", "eu", "eux", "fait", "font", "fut", "il", "ils", "j", "je",
    "jusque", "l", "la", "laquelle", "le", "lequel", "les", "lesquelles", "lesquels", "leur", "leurs",
    "lors", "lorsque", "lui", "là", "m", "ma", "mais", "me", "mes", "moi", "moins", "mon", "même",
    "mêmes", "n", "ne", "ni", "nos", "notre", "nous", "on", "ont", "ou", "où", "par", "parce", "pas",
    "pendant", "peu", "peut", "plus", "pour", "pourquoi", "puis", "qu", "quand", "que", "quel",
    "quelle", "quelles", "quels", "qui", "quoi", "s", "sa", "sans", "se", "selon", "sera", "seront",
    "ses", "si", "soi", "soit", "son", "sont", "sous", "suis", "sur", "ta", "te", "tes", "toi", "ton",
    "tous", "tout", "toute", "toutes", "très", "tu", "un", "une", "vers", "vos", "votre", "vous", "y",
    "à", "ça", "étaient", "étais", "était", "étant", "été", "êtes", "être",
];

#[rustfmt::skip] // a list reads better in full lines
pub(super) const ITALIAN: &[&str] = &[
    "a", "abbia", "abbiamo", "ad", "agli", "ai", "al", "alcuni", "alla", "alle", "allo", "anche",
    "ancora", "avere", "aveva", "avevano", "avuto", "c", "che", "chi", "ci", "cioè", "come", "con",
    "contro", "così", "cui", "d", "da", "dagli", "dai", "dal", "dalla", "dalle", "dallo", "degli",
    "dei", "del", "della", "delle", "dello", "dentro", "di", "dopo", "dove", "due", "e", "ebbe", "ed",
    "era", "erano", "essere", "fa", "fino", "fra", "fu", "furono", "già", "gli", "ha", "hai", "hanno",
    "ho", "i", "il", "in", "io", "l", "la", "le", "lei", "li", "lo", "loro", "lui", "ma", "me",
    "mentre", "mi", "mia", "mie", "miei", "mio", "molto", "ne", "negli", "nei", "nel", "nella", "nelle",
    "nello", "noi", "non", "nostra", "nostre", "nostri", "nostro", "né", "o", "ogni", "oppure", "per",
    "perché", "perciò", "più", "poi", "prima", "può", "qual", "quale", "quali", "quando", "quanto",
    "quella", "quelle", "quelli", "quello", "questa", "queste", "questi", "questo", "qui", "quindi",
    "sarà", "se", "sei", "senza", "si", "sia", "siamo", "siano", "solo", "sono", "sopra", "sotto",
    "sta", "stata", "state", "stati", "stato", "su", "sua", "sue", "sugli", "sui", "sul", "sulla",
    "sulle", "sullo", "suo", "suoi", "tra", "tu", "tua", "tue", "tuo", "tuoi", "tutta", "tutte",
    "tutti", "tutto", "un", "una", "uno", "v", "vi", "voi", "vostra", "vostro", "è",
];

#[rustfmt::skip] // a list reads better in full lines
pub(super) const PORTUGUESE: &[&str] = &[
    "a", "ao", "aos", "aquela", "aquelas", "aquele", "aqueles", "aquilo", "as", "até", "cada", "com",
    "como", "contra", "da", "das", "de", "dela", "delas", "dele", "deles", "depois", "desde", "dessa",
    "desse", "desta", "deste", "do", "dos", "durante", "e", "ela", "elas", "ele", "eles", "em", "entre",
    "era", "eram", "essa", "essas", "esse", "esses", "esta", "estar", "estas", "estava", "este",
    "estes", "está", "estão", "eu", "foi", "for", "foram", "havia", "há", "isso", "isto", "já", "la",
    "lhe", "lhes", "lo", "mais", "mas", "me", "mesmo", "meu", "meus", "minha", "minhas", "muito",
    "muitos", "na", "nas", "nem", "nessa", "nesse", "nesta", "neste", "no", "nos", "nossa", "nosso",
    "num", "numa", "nunca", "não", "nós", "o", "onde", "os", "ou", "outra", "outras", "outro", "outros",
    "para", "pela", "pelas", "pelo", "pelos", "pode", "por", "porque", "quais", "qual", "quando", "que",
    "quem", "se", "seja", "sem", "sempre", "ser", "será", "seu", "seus", "sob", "sobre", "sou", "sua",
    "suas", "são", "só", "também", "te", "tem", "tendo", "ter", "teu", "teve", "tinha", "toda", "todas",
    "todo", "todos", "tu", "tua", "tão", "têm", "um", "uma", "umas", "uns", "você", "vocês", "vos", "à",
    "às", "é",
];

#[rustfmt::skip] // a list reads better in full lines
pub(super) const ROMANIAN: &[&str] = &[
    "a", "abia", "acea", "aceasta", "această", "aceea", "acei", "acel", "acela", "acele", "acest",
    "acesta", "aceste", "acestei", "acestor", "acestui", "acum", "ai", "al", "ale", "alt", "alta",
    "alte", "altul", "am", "apoi", "ar", "are", "as", "asta", "astfel", "atunci", "atât", "au", "avea",
    "aveau", "avem", "aveţi", "avut", "ca", "care", "ce", "cea", "cei", "cel", "cele", "cine", "cu",
    "cum", "când", "cât", "câte", "că", "căreia", "cărui", "către", "dacă", "dar", "de", "deci", "deja",
    "despre", "deşi", "din", "dintre", "după", "ea", "ei", "el", "ele", "era", "erau", "este", "eu",
    "fi", "fie", "fiecare", "fiind", "fost", "fără", "la", "le", "li", "lor", "lui", "mai", "mea",
    "mei", "meu", "mi", "mult", "multe", "mulţi", "ne", "nici", "nimic", "noastră", "noi", "nostru",
    "nu", "o", "ori", "pe", "pentru", "peste", "poate", "pot", "prin", "sa", "sale", "sau", "se", "sub",
    "sunt", "suntem", "să", "săi", "ta", "tale", "te", "toate", "tot", "toţi", "tu", "tău", "un", "una",
    "unde", "unei", "unele", "unor", "unui", "unul", "va", "voastră", "voi", "vom", "vor", "vostru",
    "vă", "îi", "îl", "îmi", "în", "înainte", "încă", "însă", "într", "între", "îşi", "şi",
];

#[rustfmt::skip] // a list reads better in full lines
pub(super) const SPANISH: &[&str] = &[
    "a", "al", "algo", "algunas", "algunos", "ante", "antes", "aquel", "aquella", "aquellos", "aunque",
    "cada", "como", "con", "contra", "cual", "cuales", "cuando", "cuanto", "cuál", "cuándo", "cómo",
    "de", "del", "desde", "donde", "dos", "durante", "dónde", "e", "el", "ella", "ellas", "ellos", "en",
    "entonces", "entre", "era", "eran", "es", "esa", "esas", "ese", "eso", "esos", "esta", "estaba",
    "estado", "estar", "estas", "este", "esto", "estos", "está", "están", "fue", "fueron", "ha",
    "haber", "había", "habían", "han", "has", "hasta", "hay", "he", "la", "las", "le", "les", "lo",
    "los", "me", "mi", "mientras", "mis", "misma", "mismo", "mucho", "muchos", "muy", "más", "mí",
    "nada", "ni", "no", "nos", "nosotros", "nuestra", "nuestro", "o", "os", "otra", "otras", "otro",
    "otros", "para", "pero", "poco", "por", "porque", "pues", "que", "quien", "quienes", "quién", "qué",
    "se", "sea", "según", "ser", "si", "sido", "sin", "sino", "sobre", "son", "soy", "su", "sus", "sí",
    "también", "tan", "tanto", "te", "tenía", "tiene", "tienen", "todo", "todos", "tu", "tus", "tú",
    "un", "una", "unas", "uno", "unos", "usted", "ustedes", "vosotros", "y", "ya", "yo", "él",
];
