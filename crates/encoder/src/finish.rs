//! Makes sentence vectors of what a model returns per text.

use crate::model_files::ModelFiles;
use crate::normalised;
use crate::onnx_options::DIMENSIONS;
use vademecum_protocol::error::Result;

/// Checks the length that vectors are cut to against the `width` that the model gives them.
///
/// # Errors
/// `model_unfit` if the model has fewer, and
/// [`vademecum_protocol::error::Error::InvalidArgument`] for 0.
pub(crate) fn check_dimensions(dimensions: Option<usize>, width: usize, files: &ModelFiles) -> Result<()> {
    let Some(dimensions) = dimensions else { return Ok(()) };
    DIMENSIONS.check(dimensions)?;
    if dimensions > width {
        let reason = format!("its vectors have {width} numbers, and `dimensions` asks for {dimensions}");
        return Err(files.unfit(reason));
    }
    Ok(())
}

/// Cuts a vector to its first `dimensions` numbers, if that is requested, and scales it to unit length.
pub(crate) fn finished(vector: &[f32], dimensions: Option<usize>) -> Vec<f32> {
    let first = dimensions.and_then(|dimensions| vector.get(..dimensions)).unwrap_or(vector);
    normalised(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_are_cut_before_they_are_scaled() {
        assert_eq!(finished(&[3.0, 4.0, 12.0], Some(2)), [0.6, 0.8]);
        assert_eq!(finished(&[0.0, 2.0], None), [0.0, 1.0]);
    }

    #[test]
    fn no_dimensions_and_more_than_there_are_are_errors() {
        let check = |dimensions| check_dimensions(dimensions, 384, &ModelFiles::default());
        assert!(check(None).is_ok() && check(Some(1)).is_ok() && check(Some(384)).is_ok());
        assert_eq!(check(Some(0)).unwrap_err().code(), "invalid_argument");
        assert_eq!(check(Some(385)).unwrap_err().code(), "model_unfit");
    }
}
