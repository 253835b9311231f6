//! The parts of ONNX's protocol-buffer messages that hold a graph and its weights.

use prost::Message;
use prost::bytes::Bytes;

/// A model file.
#[derive(Clone, PartialEq, Message)]
pub struct Model {
    /// Version of the format; 8 to 10 in current files.
    #[prost(int64, tag = "1")]
    pub ir_version: i64,
    /// The graph.
    #[prost(message, optional, tag = "7")]
    pub graph: Option<Graph>,
    /// Versions of the operators.
    #[prost(message, repeated, tag = "8")]
    pub opset_import: Vec<Opset>,
}

/// The version of a set of operators.
#[derive(Clone, PartialEq, Message)]
pub struct Opset {
    /// Empty for the standard operators.
    #[prost(string, tag = "1")]
    pub domain: String,
    /// The version.
    #[prost(int64, tag = "2")]
    pub version: i64,
}

/// A graph of operators.
#[derive(Clone, PartialEq, Message)]
pub struct Graph {
    /// The operators, in an order in which they can run.
    #[prost(message, repeated, tag = "1")]
    pub node: Vec<Node>,
    /// The name, which some runtimes require.
    #[prost(string, tag = "2")]
    pub name: String,
    /// Constant tensors: the weights.
    #[prost(message, repeated, tag = "5")]
    pub initializer: Vec<Tensor>,
    /// The inputs.
    #[prost(message, repeated, tag = "11")]
    pub input: Vec<ValueInfo>,
    /// The outputs.
    #[prost(message, repeated, tag = "12")]
    pub output: Vec<ValueInfo>,
}

/// The name and the type of an input or output.
#[derive(Clone, PartialEq, Message)]
pub struct ValueInfo {
    /// The name.
    #[prost(string, tag = "1")]
    pub name: String,
    /// The type, undecoded: the graph's shape says enough.
    #[prost(bytes = "bytes", tag = "2")]
    pub r#type: Bytes,
}

/// An operator.
#[derive(Clone, PartialEq, Message)]
pub struct Node {
    /// Names of its inputs; empty for one that is left out.
    #[prost(string, repeated, tag = "1")]
    pub input: Vec<String>,
    /// Names of its outputs.
    #[prost(string, repeated, tag = "2")]
    pub output: Vec<String>,
    /// Which operator.
    #[prost(string, tag = "4")]
    pub op_type: String,
    /// Its settings.
    #[prost(message, repeated, tag = "5")]
    pub attribute: Vec<Attribute>,
    /// The set of operators that it is from.
    #[prost(string, tag = "7")]
    pub domain: String,
}

/// A setting of an operator.
#[derive(Clone, PartialEq, Message)]
pub struct Attribute {
    /// The name.
    #[prost(string, tag = "1")]
    pub name: String,
    /// A number.
    #[prost(float, tag = "2")]
    pub f: f32,
    /// A whole number.
    #[prost(int64, tag = "3")]
    pub i: i64,
    /// A tensor, of the operator `Constant`.
    #[prost(message, optional, tag = "5")]
    pub t: Option<Tensor>,
    /// Numbers.
    #[prost(float, repeated, tag = "7")]
    pub floats: Vec<f32>,
    /// Whole numbers.
    #[prost(int64, repeated, tag = "8")]
    pub ints: Vec<i64>,
    /// Which of the fields is meant: 1 for `f`, 2 for `i`, 4 for `t`, 6 for `floats`, 7 for `ints`.
    #[prost(int32, tag = "20")]
    pub r#type: i32,
}

/// A tensor. Its numbers are in `raw_data`, little-endian, or in the list of their kind.
#[derive(Clone, PartialEq, Message)]
pub struct Tensor {
    /// The shape.
    #[prost(int64, repeated, tag = "1")]
    pub dims: Vec<i64>,
    /// Kind of the numbers: see [`super::tensor`].
    #[prost(int32, tag = "2")]
    pub data_type: i32,
    /// Numbers of the kind f32.
    #[prost(float, repeated, tag = "4")]
    pub float_data: Vec<f32>,
    /// Numbers of the kinds i32, i8, u8, bool and f16.
    #[prost(int32, repeated, tag = "5")]
    pub int32_data: Vec<i32>,
    /// Numbers of the kind i64.
    #[prost(int64, repeated, tag = "7")]
    pub int64_data: Vec<i64>,
    /// The name.
    #[prost(string, tag = "8")]
    pub name: String,
    /// Numbers of any kind.
    #[prost(bytes = "bytes", tag = "9")]
    pub raw_data: Bytes,
    /// 1 where the numbers are in another file.
    #[prost(int32, tag = "14")]
    pub data_location: i32,
}
