// German texts of what all tabs share: the start, the status bar, messages about errors, formats, and the reader. Keys are the texts in the
// scripts, with `{0}` for what is inserted.

/** @type {Record<string, string>} */
export const words = {
  // The start
  "No files were added, because the library is not open. Load the page again.": "Es wurden keine Dateien hinzugefügt, weil die Bibliothek nicht offen ist. Die Seite neu laden.",
  "Your files will be added as soon as the library is open.": "Die Dateien werden hinzugefügt, sobald die Bibliothek offen ist.",
  "Your question will be asked as soon as the page has started.": "Die Frage wird gestellt, sobald die Seite gestartet ist.",
  "The page was not started.": "Die Seite wurde nicht gestartet.",
  "Another site embeds this page. Open it in a tab of its own: your library is not loaded here.": "Eine andere Website bettet diese Seite ein. Sie in einem eigenen Tab öffnen: Hier wird die Bibliothek nicht geladen.",
  "The page could not be started.": "Die Seite konnte nicht gestartet werden.",
  "A part of this page could not be loaded. Check your connection, then load the page again. Nothing in your library was changed.": "Ein Teil dieser Seite konnte nicht geladen werden. Die Verbindung prüfen und die Seite neu laden. In der Bibliothek wurde nichts geändert.",
  "This part of the page could not be loaded.": "Dieser Teil der Seite konnte nicht geladen werden.",
  "Load the page again": "Die Seite neu laden",
  "Some parts of the page could not be started.": "Einige Teile der Seite konnten nicht gestartet werden.",
  "This browser stores nothing for this page, as in a private window: the library is lost when you leave.": "Dieser Browser speichert nichts für diese Seite, wie in einem privaten Fenster: Die Bibliothek geht beim Verlassen verloren.",
  "The sample, {0}, could not be loaded ({1}), so it is not in your library. Check your connection, then add it in the library tab, under Storage. You can add your own files without it.":
    "Das Beispiel, {0}, konnte nicht geladen werden ({1}) und fehlt deshalb in der Bibliothek. Die Verbindung prüfen und es im Tab Bibliothek unter Speicher hinzufügen. Eigene Dateien lassen sich auch ohne das Beispiel hinzufügen.",
  "The library could not be opened.": "Die Bibliothek konnte nicht geöffnet werden.",
  "Start with an empty library?": "Mit einer leeren Bibliothek beginnen?",
  "The damaged library is permanently deleted from this browser, with its documents and the conversation stored with it. Your own files are not affected.":
    "Die beschädigte Bibliothek wird endgültig aus diesem Browser gelöscht, mit ihren Dokumenten und dem gespeicherten Gespräch. Die eigenen Dateien sind nicht betroffen.",
  "Delete it and start": "Löschen und beginnen",

  // The change of the language
  "Change the language?": "Sprache wechseln?",
  "Change the language": "Sprache wechseln",
  "The page loads again, and this browser stores nothing for it. What will be lost: {0}.": "Die Seite lädt neu, und dieser Browser speichert nichts für sie. Verloren geht: {0}.",
  "the question that you have typed": "die eingegebene Frage",
  "the conversation": "das Gespräch",
  "Your files stay where they are. To keep a copy, export the library first, in the Library tab under Storage.":
    "Die eigenen Dateien bleiben, wo sie sind. Für eine Kopie vorher die Bibliothek exportieren, im Tab Bibliothek unter Speicher.",

  // The status bar
  "Learning meanings": "Lernt Bedeutungen",
  "You can ask already.": "Fragen geht schon.",
  "Learning meanings. You can ask already.": "Lernt Bedeutungen. Fragen geht schon.",
  "Another tab is using the library: it is read-only here.": "Ein anderer Tab benutzt die Bibliothek: Hier ist sie nur lesbar.",
  "Searchable by words. {0} still to be understood.": "Nach Wörtern durchsuchbar. Noch zu verarbeiten: {0}.",
  "Searchable by words. Some passages are still to be understood.": "Nach Wörtern durchsuchbar. Einige Textstellen sind noch zu verarbeiten.",
  "Ready. The search is all on this device.": "Bereit. Suche nur auf diesem Gerät.",
  "Searching by words only. {0}": "Suche nur nach Wörtern. {0}",
  "The search engine is being started again…": "Die Suche wird neu gestartet …",
  "The search engine has stopped.": "Die Suche ist stehen geblieben.",
  "Starting the search model…": "Suchmodell wird gestartet …",
  "Fetching the search model…": "Suchmodell wird geladen …",
  "Fetching the search model: {0}{1} MB{2}": "Suchmodell wird geladen: {0}{1} MB{2}",
  "of {0}": "von {0}",
  "Reading documents…": "Dokumente werden gelesen …",
  "Reading {0} of {1} documents": "Dokumente werden gelesen: {0} von {1}",
  "about {0} s": "etwa {0} s",
  "about {0} min": "etwa {0} min",
  "about {0} h": "etwa {0} h",
  "page {0}": "Seite {0}",
  "at {0}": "auf {0}",

  // Storage that the browser clears, crashes, a page that slept, and the service worker
  "This browser has cleared what it had stored for this page, and with it your library. It is all still in this tab: keep it open, and choose “Store it again” above.":
    "Dieser Browser hat gelöscht, was er für diese Seite gespeichert hatte, und damit die Bibliothek. In diesem Tab ist noch alles: ihn offen lassen und oben „Wieder speichern“ wählen.",
  "Store it again": "Wieder speichern",
  "Your library is not stored any more.": "Die Bibliothek ist nicht mehr gespeichert.",
  "Storing your library again…": "Die Bibliothek wird wieder gespeichert …",
  "It is still in this tab: keep it open, and try again, or save the library as a file.": "In diesem Tab ist sie noch: ihn offen lassen und es noch einmal versuchen, oder die Bibliothek als Datei speichern.",
  "Your library could not be stored again: {0}{1}": "Die Bibliothek konnte nicht wieder gespeichert werden: {0}{1}",
  "Save it as a file": "Als Datei speichern",
  "The page’s search engine crashed and was restarted with your saved library.": "Die Suche dieser Seite ist abgestürzt und wurde mit der gespeicherten Bibliothek neu gestartet.",
  "{0} Your question was asked again by itself.": "{0} Die Frage wurde von selbst noch einmal gestellt.",
  "{0} It crashed at this question twice, so the question was not asked again: change it, or choose another way of asking under Options.":
    "{0} Sie stürzte bei dieser Frage zweimal ab, deshalb wurde sie nicht noch einmal gestellt: die Frage ändern oder unter Optionen eine andere Arbeitsweise wählen.",
  "{0} If you were adding files, add them again.": "{0} Dateien, die gerade hinzukamen, noch einmal hinzufügen.",
  "The browser had put this page to sleep, and its search engine does not answer any more. Reload the page; saved data is kept.": "Der Browser hatte diese Seite schlafen gelegt, und ihre Suche antwortet nicht mehr. Die Seite neu laden; Gespeichertes bleibt.",
  "This page also works offline.": "Diese Seite funktioniert auch ohne Netz.",
  "There is no space to store this page for offline use: it works only while you are online.": "Es ist kein Platz, um diese Seite für den Betrieb ohne Netz zu speichern: Sie funktioniert nur mit Netz.",
  "This page does not work offline yet: some of its files could not be loaded. The next visit tries again.": "Diese Seite funktioniert noch nicht ohne Netz: Einige ihrer Dateien konnten nicht geladen werden. Der nächste Besuch versucht es wieder.",
  "This page does not work offline: the browser does not support it.": "Diese Seite funktioniert nicht ohne Netz: Der Browser unterstützt es nicht.",
  "Other tabs are using the present version of this page. Close this page’s other tabs first, then press “New version: reload” again.": "Andere Tabs benutzen die jetzige Version dieser Seite. Zuerst die anderen Tabs dieser Seite schließen, dann wieder „Neue Version: neu laden“ wählen.",
  "The new version could not be installed. Free some disk space, then press “New version: reload” again.": "Die neue Version konnte nicht installiert werden. Speicherplatz freigeben, dann wieder „Neue Version: neu laden“ wählen.",

  // Errors: documents
  "It": "Die Datei",
  "Record {0}": "Eintrag {0}",
  "It contains no text.": "Die Datei enthält keinen Text.",
  "{0} is empty: it contains no letters or digits.": "{0} ist leer: ohne Buchstaben oder Ziffern.",
  "{0} has {1} of text; up to {2} MB can be added. Split it into parts.": "{0} hat {1} Text; bis zu {2} MB können hinzugefügt werden. In Teile zerlegen.",
  "{0} was refused: in this collection the field “{1}” has to be a {2}, but it is {3}. Correct the value, or add the file to another collection.":
    "{0} wurde abgelehnt: In dieser Sammlung hat das Feld „{1}“ den Typ {2}, hier ist es {3}. Den Wert berichtigen oder die Datei zu einer anderen Sammlung hinzufügen.",
  "Two of these files are called “{0}”. Rename one, and add them again.": "Zwei dieser Dateien heißen „{0}“. Eine umbenennen und noch einmal hinzufügen.",
  "There is no collection “{0}” any more. Choose another one.": "Die Sammlung „{0}“ gibt es nicht mehr. Eine andere wählen.",
  "There is no document “{0}” in the library. It may have been removed.": "Das Dokument „{0}“ ist nicht in der Bibliothek. Vielleicht wurde es entfernt.",
  "No document has the field “{0}” any more. Clear the filter, or choose another one.": "Kein Dokument hat noch das Feld „{0}“. Den Filter aufheben oder einen anderen wählen.",
  "{0} is a PDF. Restore its extension .pdf, and add it again.": "{0} ist ein PDF. Die Endung .pdf wiederherstellen und noch einmal hinzufügen.",
  "{0} is a zip archive. Unpack it, and add the files in it; for a Word document, restore its extension .docx.": "{0} ist ein Zip-Archiv. Auspacken und die Dateien darin hinzufügen; bei einem Word-Dokument die Endung .docx wiederherstellen.",
  "{0} is not text. Open it in the program that created it, save it as text or PDF, and add that file.": "{0} ist kein Text. Im Programm öffnen, das sie erstellt hat, als Text oder PDF speichern und diese Datei hinzufügen.",
  "{0} is not UTF-8: {1} cannot be read{2}. Save it as UTF-8 and add it again.": "{0} ist nicht UTF-8: {1} ist nicht lesbar{2}. Als UTF-8 speichern und noch einmal hinzufügen.",

  // Errors: the library and its storage
  "or ask the browser, under Storage, to keep the library.": "or ask the browser, under Storage, to keep the library.",
  "This browser does not allow the page to store anything ({0}), as in some private windows. What you add is lost once the page is closed.": "Dieser Browser lässt die Seite nichts speichern ({0}), wie in manchen privaten Fenstern. Hinzugefügtes geht beim Schließen verloren.",
  "Another tab is using the library: it is read-only here. Close the other tab, then reload this one.": "Ein anderer Tab benutzt die Bibliothek: Hier ist sie nur lesbar. Den anderen Tab schließen, dann diesen neu laden.",
  "The library was closed. Reload this page.": "Die Bibliothek wurde geschlossen. Diese Seite neu laden.",
  "The library would need {0} MB of memory, and this page takes {1} MB at most on this device. Nothing was added. Remove documents, then try again.": "Die Bibliothek bräuchte {0} MB Arbeitsspeicher, und diese Seite nimmt auf diesem Gerät höchstens {1} MB. Nichts wurde hinzugefügt. Dokumente entfernen, dann noch einmal versuchen.",
  "The library is open in another tab. Close that tab, then try again.": "Die Bibliothek ist in einem anderen Tab geöffnet. Ihn schließen, dann noch einmal versuchen.",
  "The page’s search engine crashed, and its data in memory is lost. Reload the page, and add your files again.": "Die Suche dieser Seite ist abgestürzt, und ihre Daten im Arbeitsspeicher sind verloren. Die Seite neu laden und die Dateien noch einmal hinzufügen.",
  "{0} is damaged: {1}. Nothing was changed. Export the library again.": "{0} ist beschädigt: {1}. Nichts wurde geändert. Die Bibliothek noch einmal exportieren.",
  "The library in this browser is damaged (its file {0}: {1}). Nothing was changed.": "Die Bibliothek in diesem Browser ist beschädigt (ihre Datei {0}: {1}). Nichts wurde geändert.",
  "{0} was written by a later version of this page (format {1}; this one reads up to {2}). Nothing was changed. Reload the page, then try again.":
    "{0} wurde von einer neueren Version dieser Seite geschrieben (Format {1}; diese liest bis {2}). Nichts wurde geändert. Die Seite neu laden, dann noch einmal versuchen.",
  "The library": "Die Bibliothek",
  "{0} was made with another search model, {1}; this page has {2}. Nothing was changed. Add the documents themselves.": "{0} wurde mit einem anderen Suchmodell erstellt, {1}; diese Seite hat {2}. Nichts wurde geändert. Die Dokumente selbst hinzufügen.",
  "The stored conversation cannot be read: {0}. Nothing was changed. “New conversation” starts another one.": "Das gespeicherte Gespräch ist nicht lesbar: {0}. Nichts wurde geändert. „Neues Gespräch“ beginnt ein anderes.",

  // Errors: the search engine and its model
  "The page’s search engine crashed repeatedly, and has stopped. Saved data is kept. Reload the page to start it.": "Die Suche dieser Seite ist wiederholt abgestürzt und steht. Gespeichertes bleibt. Die Seite neu laden, um sie zu starten.",
  "The page’s search engine crashed, and restarts automatically: try again. ({0})": "Die Suche dieser Seite ist abgestürzt und startet von selbst neu: noch einmal versuchen. ({0})",
  "A part of this page could not be loaded from {0}. Check whether you are online, and try again.": "Ein Teil dieser Seite konnte nicht geladen werden: {0}. Die Verbindung prüfen und noch einmal versuchen.",
  "A part of the search model is missing: {0}. Check whether you are online, and try again.": "Ein Teil des Suchmodells fehlt: {0}. Die Verbindung prüfen und noch einmal versuchen.",
  "The search model at {0} cannot be used: {1}. The download may be incomplete: reload the page to fetch it again.": "Das Suchmodell unter {0} ist nicht verwendbar: {1}. Vielleicht wurde es unvollständig geladen: die Seite neu laden.",
  "The search model at {0} is not the one that this page was made for: {1}. The operator of this page has to correct this.": "Das Suchmodell unter {0} ist nicht das, für das diese Seite gemacht ist: {1}. Das muss der Betreiber dieser Seite beheben.",
  "A part of the search model, {0}, cannot be read: {1}. Reload the page to fetch it again.": "Ein Teil des Suchmodells, {0}, ist nicht lesbar: {1}. Die Seite neu laden, um ihn neu zu holen.",
  "The parts of the search model do not match: {0}. The operator of this page has to correct this.": "Die Teile des Suchmodells passen nicht zusammen: {0}. Das muss der Betreiber dieser Seite beheben.",
  "Search by meaning needs instructions (SIMD) that this browser lacks. Chrome, Edge and Firefox have them, and Safari from version 16.4.": "Die Suche nach Bedeutung braucht Befehle (SIMD), die diesem Browser fehlen. Chrome, Edge und Firefox haben sie, und Safari ab Version 16.4.",
  "The search model failed: {0}": "Das Suchmodell hat versagt: {0}",
  "The search model is still being loaded, so this was searched by words alone. Ask again once it is loaded.": "Das Suchmodell wird noch geladen, deshalb wurde nur nach Wörtern gesucht. Noch einmal fragen, sobald es geladen ist.",

  // Errors: asking
  "The operation was stopped.": "Der Vorgang wurde angehalten.",
  "The question is empty. Enter at least one letter or digit.": "Die Frage ist leer. Mindestens einen Buchstaben oder eine Ziffer eingeben.",
  "The library has changed since this was stopped: passages that were found before may have been changed or removed. Ask again to search the current library.":
    "Die Bibliothek hat sich seit dem Anhalten geändert: Gefundene Textstellen können geändert oder entfernt sein. Noch einmal fragen, um die jetzige Bibliothek zu durchsuchen.",
  "This run cannot be continued, because another version of this page started it. Ask again.": "Dieser Lauf kann nicht fortgesetzt werden, weil ihn eine andere Version dieser Seite begonnen hat. Noch einmal fragen.",
  "The budget ran out ({0}). Allow more under Options, or ask for less.": "Das Budget ist aufgebraucht ({0}). Unter Optionen mehr erlauben, oder weniger fragen.",
  "The server of the language model": "Der Server des Sprachmodells",
  "The server of the language model cut off its reply ({0}). Raise its token limit, or ask for less.": "Der Server des Sprachmodells hat seine Antwort abgeschnitten ({0}). Seine Token-Grenze erhöhen, oder weniger fragen.",
  "The reply of the language model could not be used: {0}. Check its address and its name under Model; another model may do better.": "Die Antwort des Sprachmodells war nicht verwendbar: {0}. Adresse und Namen unter Modell prüfen; vielleicht gelingt es einem anderen Modell.",
  "A collection elsewhere was not asked, because the question concerns private documents, which are searched on this device only.": "Eine entfernte Sammlung wurde nicht gefragt, weil die Frage private Dokumente betrifft: Sie werden nur auf diesem Gerät durchsucht.",
  "The language model was not asked, because this concerns private documents, which are searched and quoted on this device only.": "Das Sprachmodell wurde nicht gefragt, weil das private Dokumente betrifft: Sie werden nur auf diesem Gerät durchsucht und zitiert.",
  "You denied this search: the collection elsewhere was not asked.": "Diese Suche wurde abgelehnt: Die entfernte Sammlung wurde nicht gefragt.",
  "You denied this request: the language model was not asked.": "Diese Anfrage wurde abgelehnt: Das Sprachmodell wurde nicht gefragt.",
  "model calls": "Modellaufrufe",
  "tokens": "Token",
  "time": "Zeit",
  "searches": "Suchen",

  // The reader
  "Open the current version": "Die jetzige Fassung öffnen",
  "This document was replaced since then. This is the passage as it was found.": "Dieses Dokument wurde seither ersetzt. Das ist die Textstelle, wie sie gefunden wurde.",
  "This document was removed from the library since then.{0}": "Dieses Dokument wurde seither aus der Bibliothek entfernt.{0}",
  "This is the passage as it was found.": "Das ist die Textstelle, wie sie gefunden wurde.",
  "Columns: {0}": "Spalten: {0}",
};

/** Nouns behind a number, by the forms of `Intl.PluralRules`. @type {Record<string, { one: string, other: string }>} */
export const nouns = {
  byte: { one: "Byte", other: "Byte" },
  call: { one: "Aufruf", other: "Aufrufe" },
  document: { one: "Dokument", other: "Dokumente" },
  file: { one: "Datei", other: "Dateien" },
  page: { one: "Seite", other: "Seiten" },
  "PDF file": { one: "PDF-Datei", other: "PDF-Dateien" },
  passage: { one: "Textstelle", other: "Textstellen" },
  "private document": { one: "privates Dokument", other: "private Dokumente" },
  question: { one: "Frage", other: "Fragen" },
  request: { one: "Anfrage", other: "Anfragen" },
  row: { one: "Zeile", other: "Zeilen" },
  run: { one: "Lauf", other: "Läufe" },
  search: { one: "Suche", other: "Suchen" },
  time: { one: "Mal", other: "Mal" },
  token: { one: "Token", other: "Token" },
  way: { one: "Verfahren", other: "Verfahren" },
  word: { one: "Wort", other: "Wörter" },
};
