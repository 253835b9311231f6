//! Stop words of Finnish, Hungarian and Turkish: sorted, lower case, NFC.

#[rustfmt::skip] // a list reads better in full lines
pub(super) const FINNISH: &[&str] = &[
    "ei", "eivät", "eli", "ella", "emme", "en", "enemmän", "ennen", "eräs", "että", "he", "heidän",
    "heitä", "hän", "hänelle", "hänen", "häntä", "ihan", "ilman", "itse", "ja", "jo", "joka", "joko",
    "jolla", "jolloin", "jonka", "jos", "joskus", "jossa", "josta", "jota", "jotka", "jotta", "kaikki",
    "kanssa", "kautta", "keitä", "ken", "kenen", "ketä", "kuin", "kuinka", "kuitenkin", "kuka", "kun",
    "lisäksi", "luona", "me", "meidän", "meitä", "mihin", "miksi", "mikä", "mikäli", "milloin", "millä",
    "minkä", "minun", "minut", "minä", "missä", "mistä", "mitkä", "mitä", "mm", "muita", "mukaan",
    "mutta", "muu", "muut", "myös", "ne", "niiden", "niihin", "niin", "niistä", "niitä", "noin", "nuo",
    "nyt", "näiden", "näitä", "nämä", "ole", "olemme", "olen", "olet", "olette", "oli", "olin", "olisi",
    "olisivat", "olivat", "olla", "olleet", "ollut", "on", "ovat", "se", "sekä", "sen", "siellä",
    "siihen", "siinä", "siis", "siitä", "silloin", "sillä", "sinun", "sinä", "sitten", "sitä", "tai",
    "te", "teidän", "tuo", "tuon", "tuossa", "tähän", "tämä", "tämän", "tässä", "tästä", "tätä", "vaan",
    "vaikka", "vain", "vielä", "voi", "voidaan", "voivat", "yli",
];

#[rustfmt::skip] // a list reads better in full lines
pub(super) const HUNGARIAN: &[&str] = &[
    "a", "abban", "ahhoz", "ahogy", "ahol", "aki", "akik", "akkor", "alatt", "amely", "amelyek",
    "amelyet", "ami", "amikor", "amit", "annak", "arra", "arról", "az", "azok", "azon", "azonban",
    "azt", "aztán", "azzal", "azért", "be", "belül", "benne", "bár", "csak", "de", "e", "egy", "egyes",
    "egyik", "egyéb", "ehhez", "el", "ellen", "elő", "előtt", "ennek", "erre", "ez", "ezek", "ezen",
    "ezt", "ezzel", "ezért", "fel", "felé", "ha", "hanem", "hogy", "hogyan", "hol", "ide", "igen",
    "ill", "ilyen", "is", "itt", "kell", "keresztül", "ki", "kik", "köszönhetően", "között", "közül",
    "le", "legyen", "lehet", "lenne", "lesz", "lett", "ma", "majd", "meg", "mellett", "mely", "melyek",
    "mert", "mi", "mikor", "milyen", "minden", "mint", "mit", "mivel", "miért", "most", "már", "más",
    "míg", "nagyon", "ne", "nekem", "neki", "nem", "nincs", "nélkül", "olyan", "ott", "pedig", "róla",
    "s", "saját", "sem", "semmi", "sok", "során", "szerint", "szintén", "számára", "te", "tehát",
    "továbbá", "több", "túl", "után", "utána", "vagy", "vagyis", "valaki", "valami", "valamint", "van",
    "vannak", "vele", "vissza", "volna", "volt", "voltak", "át", "én", "és", "így", "ön", "össze",
    "úgy", "újra", "ő", "ők",
];

#[rustfmt::skip] // a list reads better in full lines
pub(super) const TURKISH: &[&str] = &[
    "acaba", "ama", "arasında", "aslında", "az", "bana", "bazı", "belki", "ben", "benden", "beni",
    "benim", "bile", "bir", "biri", "birkaç", "biz", "bize", "bizi", "bizim", "bu", "buna", "bunda",
    "bundan", "bunlar", "bunları", "bunların", "bunu", "bunun", "burada", "da", "daha", "dahi", "de",
    "defa", "değil", "diye", "dolayı", "en", "eğer", "gibi", "göre", "hem", "hep", "hepsi", "her",
    "hiç", "hiçbir", "ile", "ise", "için", "işte", "kadar", "ki", "kim", "kime", "kimi", "mi", "mu",
    "mü", "mı", "nasıl", "ne", "neden", "nedenle", "nerde", "nerede", "nereye", "niye", "niçin", "o",
    "olan", "olarak", "oldu", "olduğu", "olduğunu", "olur", "ona", "ondan", "onlar", "onlardan",
    "onları", "onların", "onu", "onun", "orada", "rağmen", "sadece", "sana", "sen", "senden", "seni",
    "senin", "siz", "size", "sizi", "sizin", "sonra", "tarafından", "tüm", "var", "ve", "veya", "ya",
    "yani", "yok", "zaten", "çok", "çünkü", "önce", "öyle", "üzere", "şey", "şu", "şuna", "şunu",
];
