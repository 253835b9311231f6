//! Stop words of English: sorted, lower case, NFC. "us" is excluded, because it is also a country.

#[rustfmt::skip] // a list reads better in full lines
pub(super) const ENGLISH: &[&str] = &[
    "a", "about", "above", "after", "again", "against", "all", "also", "am", "an", "and", "any", "are",
    "aren't", "as", "at", "be", "because", "been", "before", "being", "below", "between", "both", "but",
    "by", "can", "can't", "cannot", "could", "couldn't", "did", "didn't", "do", "does", "doesn't",
    "doing", "don't", "down", "during", "each", "either", "etc", "ever", "every", "few", "for", "from",
    "further", "had", "hadn't", "has", "hasn't", "have", "haven't", "having", "he", "he'd", "he'll",
    "her", "here", "hers", "herself", "him", "himself", "his", "how", "however", "i", "i'd", "i'll",
    "i'm", "i've", "if", "in", "into", "is", "isn't", "it", "its", "itself", "just", "let's", "may",
    "me", "might", "more", "most", "must", "mustn't", "my", "myself", "neither", "no", "nor", "not",
    "of", "off", "on", "once", "only", "onto", "or", "other", "ought", "our", "ours", "ourselves",
    "out", "over", "own", "per", "quite", "rather", "same", "shall", "shan't", "she", "she'd", "she'll",
    "should", "shouldn't", "since", "so", "some", "such", "than", "that", "the", "their", "theirs",
    "them", "themselves", "then", "there", "therefore", "these", "they", "they'd", "they'll", "they're",
    "they've", "this", "those", "though", "through", "thus", "to", "too", "under", "until", "unto",
    "up", "upon", "very", "was", "wasn't", "we", "we'd", "we'll", "we're", "we've", "were", "weren't",
    "what", "when", "where", "whether", "which", "while", "who", "whom", "whose", "why", "will", "with",
    "within", "without", "won't", "would", "wouldn't", "yet", "you", "you'd", "you'll", "you're",
    "you've", "your", "yours", "yourself", "yourselves",
];
