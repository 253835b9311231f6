// German sentences for what the package says in English: the reasons that its agent gives, as whole sentences, and errors by their code, where
// their own facts matter less than what to do.

/** @type {Record<string, string>} */
export const reasons = {
  "The library does not say.": "Die Bibliothek sagt dazu nichts.",
  "Nothing in the documents answers this question.": "In den Dokumenten steht keine Antwort auf diese Frage.",
  "The nearest passages do not seem to answer this question.": "Die nächstliegenden Textstellen scheinen diese Frage nicht zu beantworten.",
  "No sentence answers this question; the passages that were found may.": "Kein Satz beantwortet diese Frage; vielleicht tun es die gefundenen Textstellen.",
  "The documents disagree: the first two sentences say different things.": "Die Dokumente widersprechen sich: Die ersten beiden Sätze sagen Verschiedenes.",
  "These are the nearest rows; the whole table was not read for this question.": "Das sind die nächstliegenden Zeilen; die ganze Tabelle wurde für diese Frage nicht gelesen.",
  "The documents were not searched for this: no search could be made.": "Die Dokumente wurden dafür nicht durchsucht: Keine Suche war möglich.",
  "The documents were not searched for this.": "Die Dokumente wurden dafür nicht durchsucht.",
};

/** @type {Record<string, string>} */
export const errors = {
  file_damaged: "Die Datei ist beschädigt oder von einem anderen Typ, als ihre Endung sagt. Im zugehörigen Programm öffnen; wenn das gelingt, dort neu speichern.",
  file_protected: "Die Datei ist mit einem Passwort geschützt. Im zugehörigen Programm öffnen, ohne Passwort speichern und diese Datei hinzufügen.",
  file_too_large: "Die Datei ist zu groß für ihren Typ. In Teile zerlegen.",
  file_unreadable: "Die Datei konnte nicht gelesen werden. Vielleicht wurde sie verschoben oder geändert, oder das Recht fehlt; noch einmal hinzufügen.",
  file_unsupported: "Dieser Dateityp wird nicht unterstützt. Unterstützt werden Markdown, Text, HTML, PDF, Word, Excel und PowerPoint (.docx, .xlsx, .pptx), OpenDocument-Texte, RTF, Mails (.eml), EPUB, CSV, JSON, JSON Lines, Quelltext und Bilder von Text (.png, .jpg, .webp).",
  offline: "Keine Verbindung zum Netz. Noch einmal versuchen, sobald sie wieder da ist.",
  storage_failed: "Der Speicher des Browsers hat einen Fehler gemeldet. Noch einmal versuchen; wenn das nicht hilft, die Seite neu laden.",
  storage_full: "Der Speicher, den der Browser dieser Seite gibt, ist voll. Platz schaffen, Dokumente entfernen oder den Browser unter Speicher bitten, die Bibliothek zu behalten.",
};
