//! A run of `build` or `add`: reads and adds changed files, removes deleted ones, and opens the library only if needed.

use crate::host::{Host, is_stopped};
use crate::job::Job;
use crate::library;
use crate::model::Model;
use crate::output::Output;
use crate::plan::Plan;
use crate::progress::Progress;
use crate::reading::{ReadFile, first_batch, read_all, read_one};
use crate::record::{Record, Totals, stamp};
use crate::report::{NotAdded, Note, Report};
use crate::writer::{Writer, is_of_document};
use std::collections::HashSet;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;
use vademecum::encoder::Embedder;
use vademecum::engine::{CollectionOptions, Options};
use vademecum::error::Result;
use vademecum_files::{Found, Refusal, Walk};

/// A run of `build` or `add`.
pub(crate) struct Run<'a> {
    job: &'a Job<'a>,
    output: Output,
    model: Option<Model>,
    options: Options,
    host: Rc<Host>,
    /// The file that is written: the library, or one aside that takes its place when it is complete.
    path: PathBuf,
    /// Whether there is a library.
    exists: bool,
    /// The record of the last build.
    known: Option<Record>,
    /// The record of a build whose library this run adds to, if that is as the build left it.
    beside: Option<Record>,
    /// The library, opened when there is something to write.
    writer: Option<Writer>,
    report: Report,
}

impl<'a> Run<'a> {
    /// Prepares a run; neither the model nor the library is opened yet.
    ///
    /// # Errors
    /// Those of the options, and `model_unavailable`.
    pub(crate) fn new(job: &'a Job<'a>, output: Output) -> Result<Self> {
        let model = job.model()?;
        let options = job.options(model.as_ref());
        options.check()?;
        let host = Rc::new(Host::default());
        let path = job.path();
        let written = stamp(&path)?;
        let (mut exists, mut beside) = (written.is_some(), None);
        let mut known = exists.then(|| Record::read(&path)).flatten();
        if !job.is_sync {
            beside = known.take().filter(|record| Some(record.library) == written);
        } else if job.is_fresh {
            // What an earlier run has left is continued if it is whole, and was made in the same way.
            known = known.filter(|record| {
                let settings = job.settings(model.as_ref(), &options, record);
                Some(record.library) == written
                    && record.settings.makes_the_same_as(&settings)
                    && record.settings.model.is_some() == model.is_some()
            });
            exists =
                known.is_some() && library::open(Some(&path), None, host.clone(), Options::default()).is_ok();
            known = known.filter(|_| exists);
            if !exists {
                Record::discard(&path);
            }
        }
        let report = Report { library: job.library.display().to_string(), ..Report::default() };
        Ok(Self { job, output, model, options, host, path, exists, known, beside, writer: None, report })
    }

    /// Compares the files with the record of the last build, and does what is to be done.
    ///
    /// # Errors
    /// `aborted`, and those of the library, the model and the disk.
    pub(crate) fn all(&mut self) -> Result<()> {
        let job = self.job;
        if job.is_sync && job.is_within() {
            self.output.note(&format!(
                "{} tells the names of all files that are read, and is in a folder that is read. Do not publish it: write the library to another folder, and copy it.",
                Record::path(job.library).display()
            ));
        }
        let mut walk = job.walk();
        let mut known = self.known.take().unwrap_or_default();
        let settings = job.settings(self.model.as_ref(), &self.options, &known);
        // Another program may have replaced the library since: the record does not know its documents.
        let belongs = self.exists && Some(known.library) == stamp(&self.path)?;
        let is_trusted = belongs && known.settings.makes_the_same_as(&settings);
        let is_described = !job.is_sync || !self.exists || known.settings.description == settings.description;
        known.take_over(settings, is_trusted, self.model.is_some());
        let located = self.model.as_ref().and_then(|_| job.ingest.model.located());
        let is_moved = located.is_some() && known.model != located;
        known.model = located.or(known.model);
        let plan = Plan::of(&mut walk, &known);
        if !job.allows_empty {
            plan.check(&job.places, &known)?;
        }
        self.report_of_walk(walk, &plan, &known);
        let is_incomplete = self.model.is_some() && known.totals.vectors < known.totals.chunks;
        if is_described && !is_incomplete && plan.gone.is_empty() {
            return self.read(&plan, known, is_moved);
        }
        self.open(known)?.remove(&plan.gone)?;
        self.report.files.removed = plan.gone.len();
        self.read(&plan, Record::default(), false)
    }

    /// Reads files and adds their documents. `record` is that of a library which is not open yet, and `is_restamped` whether it has changed.
    fn read(&mut self, plan: &Plan, mut record: Record, mut is_restamped: bool) -> Result<()> {
        let total: u64 = plan.to_read.iter().map(|found| found.stamp.bytes).sum();
        let progress = Progress::new(self.output, total);
        let mut done = 0;
        let mut rest = plan.to_read.as_slice();
        while let Some(batch) = first_batch(rest) {
            progress.now("Reading");
            let mut files = match &self.writer {
                Some(writer) => read_all(batch, &writer.record.borrow()),
                None => read_all(batch, &record),
            };
            if is_stopped() {
                break; // Ctrl-C has ended the readers of PDF as well
            }
            let (batch, later) = rest.split_at_checked(files.len()).unwrap_or((rest, &[]));
            rest = later;
            let bytes: u64 = files.iter().map(|file| file.bytes).sum();
            for file in &mut files {
                let own = match &self.writer {
                    Some(writer) => &mut *writer.record.borrow_mut(),
                    None => &mut record,
                };
                is_restamped |= self.report.count(own, file);
                self.job.give_address(file);
            }
            files.retain(|file| !file.is_settled());
            if !files.is_empty() {
                if self.writer.is_none() {
                    self.open(std::mem::take(&mut record))?;
                }
                self.add(batch, files, &progress, done)?;
            }
            done += bytes;
            progress.at(done);
        }
        if let Some(writer) = &self.writer
            && !is_stopped()
        {
            writer.embed_rest(&progress, total)?;
            // Measuring cosines embeds a few texts more, which are no passages.
            self.report.embedded = writer.embedded();
            progress.now("Arranging");
            writer.arrange()?;
        }
        progress.end();
        if self.writer.is_none() && self.job.is_sync && self.exists {
            self.report_totals(record.totals)?;
            if is_restamped {
                record.write(&self.path)?;
            }
        }
        Ok(())
    }

    /// Adds the documents of files; one by one if one of them keeps out all.
    fn add(&mut self, batch: &[Found], files: Vec<ReadFile>, progress: &Progress, done: u64) -> Result<()> {
        let Some(writer) = &self.writer else { return Ok(()) };
        let ids: HashSet<String> = files.iter().map(|file| file.id.clone()).collect();
        let changed: HashSet<String> =
            files.iter().filter(|file| file.is_change).map(|file| file.id.clone()).collect();
        let mut refused: Vec<(String, Refusal)> = Vec::new();
        match writer.add(files, progress, done) {
            Ok(refusal) => refused.extend(ids.into_iter().next().zip(refusal)),
            Err(error) if is_of_document(&error) => {
                for found in batch.iter().filter(|found| ids.contains(&found.id)) {
                    let mut file = read_one(found, None);
                    self.job.give_address(&mut file);
                    if !file.is_settled() {
                        let refusal = writer.add(vec![file], progress, done)?;
                        refused.extend(refusal.map(|refusal| (found.id.clone(), refusal)));
                    }
                }
            }
            Err(error) => return Err(error),
        }
        for (file, refusal) in refused {
            self.report.refuse(file, refusal, &changed);
        }
        Ok(())
    }

    /// Opens the library and loads the model.
    fn open(&mut self, mut record: Record) -> Result<&Writer> {
        let job = self.job;
        let embedder =
            self.model.as_ref().map(|model| model.load(self.host.clone())).transpose()?.map(Rc::new);
        let path = self.exists.then_some(self.path.as_path());
        let kb = library::open(path, embedder.clone(), self.host.clone(), self.options.clone())?;
        let collection = job.ingest.collection.as_str();
        let description = job.ingest.description.clone();
        kb.collection(collection, &CollectionOptions { description, ..CollectionOptions::default() })?;
        kb.settle_embedder()?;
        if let Some(embedder) = &embedder {
            record.settings.model = embedder.id();
        } else if kb.stats()?.embedded > 0 {
            self.output.note(
                "This library has vectors, and no model was named: new passages are found by words alone until a build with --model.",
            );
        }
        let writer = Writer::new(
            kb,
            embedder,
            (self.path.clone(), collection.to_owned()),
            self.host.cancel(),
            job.is_sync.then_some(record),
            Duration::from_secs_f64(job.ingest.checkpoint),
        );
        Ok(self.writer.insert(writer))
    }

    /// Reports what the walk has found, and what is known of unchanged files.
    fn report_of_walk(&mut self, walk: Walk, plan: &Plan, known: &Record) {
        self.report.skipped = walk.skipped;
        // The only folder itself has no name.
        let named = |file: String| if file.is_empty() { ".".to_owned() } else { file };
        let refused = walk.refused.into_iter();
        self.report.not_added =
            refused.map(|(file, refusal)| NotAdded { file: named(file), refusal }).collect();
        self.report.notes = walk.notes.into_iter().map(|(file, note)| Note { file, note }).collect();
        for file in &plan.unchanged {
            let entry = known.files.get(file);
            match entry.and_then(|entry| entry.refusal.clone()) {
                Some(refusal) => self.report.not_added.push(NotAdded { file: file.clone(), refusal }),
                None => self.report.files.unchanged += 1,
            }
        }
    }

    fn report_totals(&mut self, totals: Totals) -> Result<()> {
        (self.report.documents, self.report.chunks, self.report.vectors) =
            (totals.documents, totals.chunks, totals.vectors);
        self.report.bytes = stamp(&self.path)?.map_or(0, |stamp| stamp.bytes);
        Ok(())
    }

    /// Writes the library and returns the report.
    ///
    /// # Errors
    /// Those of the disk.
    pub(crate) fn finished(mut self, stopped: bool) -> Result<Report> {
        if let Some(writer) = self.writer.take() {
            let totals = writer.totals()?;
            if self.exists || totals.documents > 0 {
                writer.checkpoint()?;
                if let Some(mut record) = self.beside.take() {
                    // What was added beside the files of a build does not concern its record, and what was added over them does.
                    if record.settings.collection == writer.collection {
                        record.unsettle_those_of(&writer.added());
                    }
                    record.library = stamp(&self.path)?.unwrap_or_default();
                    record.model =
                        self.model.as_ref().and_then(|_| self.job.ingest.model.located()).or(record.model);
                    record.totals = totals;
                    record.write(&self.path)?;
                }
            }
            self.report_totals(totals)?;
            if stopped {
                self.report.embedded = writer.embedded();
            }
        } else if self.exists && self.report.bytes == 0 {
            let kb = library::open(Some(&self.path), None, self.host.clone(), Options::default())?;
            let stats = kb.stats()?;
            self.report_totals(Totals {
                documents: stats.documents,
                chunks: stats.chunks,
                vectors: stats.embedded,
            })?;
        }
        if self.job.is_fresh && !stopped && stamp(&self.path)?.is_some() {
            Record::promote(&self.path, self.job.library)?;
        } else if self.job.is_sync && !stopped {
            Record::discard(&self.job.aside());
        }
        self.report.stopped = stopped;
        self.report.sort();
        Ok(self.report)
    }

    /// Saves what was done, and tells if that is not possible.
    pub(crate) fn keep(&self) {
        if let Some(Err(error)) = self.writer.as_ref().map(Writer::checkpoint) {
            self.output.note(&format!("What was done since the last checkpoint is lost: {error}"));
        }
    }
}
