//! Encoders outside the browser: by the kernel if it runs the model, else by an ONNX runtime.

use crate::alignment::{Aligned, Sought};
use crate::kernel::{KernelEmbedder, Loaded};
use crate::model_files::ModelFiles;
use crate::onnx::OnnxEmbedder;
use crate::onnx_options::{Backend, OnnxOptions, Pooling};
use crate::{Embeddings, Kind};
use vademecum_kernel::simd::Level;
use vademecum_protocol::cancel::Cancel;
use vademecum_protocol::error::Result;
use vademecum_protocol::platform::Platform;

/// A loaded sentence encoder.
#[derive(Debug)]
pub enum NativeEmbedder {
    /// Run by the kernel, on all cores.
    Kernel(Box<KernelEmbedder>),
    /// Run by an ONNX runtime, on one core.
    Onnx(Box<OnnxEmbedder>),
}

impl NativeEmbedder {
    /// Loads a model and its tokenizer, the latter given as URL and contents. `runtime` is the path of the ONNX runtime's
    /// shared library, which is loaded only if the kernel does not run the model, or on request.
    ///
    /// # Errors
    /// Those of [`KernelEmbedder::load`] and [`OnnxEmbedder::load`].
    pub async fn load(
        runtime: &str,
        files: &ModelFiles,
        tokenizer: (&str, &[u8]),
        options: OnnxOptions,
        level: Level,
    ) -> Result<Self> {
        if options.backend != Backend::OnnxRuntime {
            let own = files.clone();
            if let Loaded::Kernel(embedder) = KernelEmbedder::load(own, tokenizer, options.clone(), level)? {
                return Ok(Self::Kernel(embedder));
            }
        }
        OnnxEmbedder::load(runtime, files, tokenizer, options)
            .await
            .map(|embedder| Self::Onnx(Box::new(embedder)))
    }

    /// Embeds texts, in order. Cancellation takes effect between two batches.
    ///
    /// # Errors
    /// Those of [`KernelEmbedder::embed`] and [`OnnxEmbedder::embed`].
    pub async fn embed(
        &self,
        texts: &[String],
        kind: Kind,
        cancel: &Cancel,
        platform: &dyn Platform,
    ) -> Result<Embeddings> {
        match self {
            Self::Kernel(embedder) => embedder.embed(texts, kind, cancel, platform).await,
            Self::Onnx(embedder) => embedder.embed(texts, kind, cancel, platform).await,
        }
    }

    /// Embeds texts as documents, and compares their tokens with those of a question's words; `None` by an ONNX runtime, whose
    /// outputs may be vectors of texts alone.
    ///
    /// # Errors
    /// Those of [`KernelEmbedder::align`].
    pub async fn align(
        &self,
        texts: &[String],
        sought: &Sought,
        cancel: &Cancel,
        platform: &dyn Platform,
    ) -> Result<Option<Aligned>> {
        match self {
            Self::Kernel(embedder) => embedder.align(texts, sought, cancel, platform).await.map(Some),
            Self::Onnx(_) => Ok(None),
        }
    }

    /// Returns the pooling in use.
    pub const fn pooling(&self) -> Pooling {
        match self {
            Self::Kernel(embedder) => embedder.pooling(),
            Self::Onnx(embedder) => embedder.pooling(),
        }
    }

    /// Returns the token ids of a text, for comparing tokenizers.
    ///
    /// # Errors
    /// [`vademecum_protocol::error::Error::EmbedderFailed`].
    pub fn token_ids(&self, text: &str) -> Result<Vec<u32>> {
        match self {
            Self::Kernel(embedder) => Ok(embedder.token_ids(text)),
            Self::Onnx(embedder) => embedder.token_ids(text),
        }
    }
}
