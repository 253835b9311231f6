//! Phrases that address a model and no reader, in many languages: stems of words that follow one another closely.

use super::phrase_tokens::{Phrase, Phrasebook};
use super::suspicion::SuspicionKind;
use std::sync::LazyLock;

const fn said(slots: &'static [&'static [&'static str]], gap: usize, score: f32) -> Phrase {
    Phrase { slots, gap, reversible: false, kind: SuspicionKind::Instruction, score }
}

const fn pair(slots: &'static [&'static [&'static str]]) -> Phrase {
    Phrase { slots, gap: 5, reversible: true, kind: SuspicionKind::Instruction, score: 0.9 }
}

const IGNORE: &[&str] = &["ignor", "disregard", "forget", "overrid", "bypass", "neglect"];
const BEFORE: &[&str] = &[
    "previous",
    "prior",
    "above",
    "earlier",
    "preceding",
    "=all",
    "=any",
    "=your",
    "system",
    "other",
    "foregoing",
    "existing",
    "former",
];
const RULES: &[&str] =
    &["instruction", "prompt", "guideline", "directive", "restriction", "=rules", "command", "order"];
const MODEL: &[&str] = &[
    "assistant",
    "=ai",
    "=llm",
    "=llms",
    "chatbot",
    "=gpt",
    "chatgpt",
    "claude",
    "gemini",
    "=model",
    "=agent",
];
const CALL: &[&str] = &["=call", "invoke", "=use", "execute", "trigger", "=run"];
const SEND: &[&str] =
    &["send", "forward", "=post", "upload", "exfiltrat", "transmit", "leak", "append", "=email", "submit"];

/// In English.
const IN_ENGLISH: &[Phrase] = &[
    said(&[IGNORE, BEFORE, RULES], 3, 0.9),
    said(
        &[
            IGNORE,
            &["everything", "=all", "=anything"],
            &["above", "before", "=told", "previously", "=said", "context"],
        ],
        4,
        0.9,
    ),
    said(
        &[
            &["=you"],
            &["=are"],
            &["=now"],
            &[
                "assistant",
                "=ai",
                "=bot",
                "=agent",
                "=dan",
                "=admin",
                "developer",
                "jailbroken",
                "unrestricted",
                "=free",
                "hacker",
                "evil",
                "=root",
                "pirate",
                "=in",
            ],
        ],
        3,
        0.9,
    ),
    said(
        &[
            &["=act", "pretend", "behave", "roleplay"],
            &["=as", "=like", "=you", "=to"],
            &["=ai", "=dan", "unrestricted", "jailbroken", "=admin", "developer", "evil"],
        ],
        4,
        0.8,
    ),
    said(
        &[
            &[
                "reveal", "print", "show", "repeat", "output", "=tell", "leak", "disclose", "display",
                "=write", "=give", "=send", "quote", "summari",
            ],
            &["=system", "initial", "hidden", "secret"],
            &["prompt", "instruction"],
        ],
        4,
        0.9,
    ),
    said(
        &[
            &["=not", "never", "=don", "=dont", "without"],
            &["=tell", "inform", "mention", "reveal", "notify", "disclose", "alert", "warn", "telling"],
            &["=user", "human", "anyone", "anybody"],
        ],
        4,
        0.8,
    ),
    said(&[MODEL, CALL, &["=tool", "=tools", "=function", "plugin"]], 2, 0.8),
    said(
        &[
            &["must", "immediately", "=now", "always", "=first", "please"],
            CALL,
            &["=tool", "=tools", "plugin"],
        ],
        4,
        0.7,
    ),
    said(
        &[
            CALL,
            &[
                "send_",
                "delete_",
                "transfer_",
                "export_",
                "fetch_url",
                "http_get",
                "web_",
                "mail_",
                "post_",
                "run_shell",
                "exec_",
                "open_url",
            ],
        ],
        4,
        0.7,
    ),
    said(
        &[
            SEND,
            &[
                "conversation",
                "=chat",
                "secret",
                "password",
                "credential",
                "prompt",
                "=question",
                "history",
                "confidential",
                "private",
            ],
            &["=http", "=https", "=url", "=link", "server", "=address", "=to"],
        ],
        6,
        0.8,
    ),
    said(
        &[
            &[
                "=new",
                "updated",
                "=real",
                "actual",
                "important",
                "urgent",
                "following",
                "hidden",
                "secret",
                "special",
            ],
            &["instruction", "directive", "=orders", "=message"],
            &["=for", "=to"],
            &[
                "assistant",
                "=ai",
                "=llm",
                "=llms",
                "chatbot",
                "=model",
                "=models",
                "=agent",
                "=agents",
                "language",
            ],
        ],
        3,
        0.9,
    ),
    said(
        &[
            MODEL,
            &["must", "should", "shall", "always", "=will", "=now"],
            &[
                "answer",
                "reply",
                "respond",
                "=say",
                "recommend",
                "include",
                "insert",
                "append",
                "=tell",
                "ignore",
                "=print",
                "output",
                "=cite",
                "=rate",
                "=add",
                "=end",
                "begin",
                "claim",
                "obey",
                "follow",
            ],
        ],
        3,
        0.8,
    ),
    said(
        &[
            &["developer", "=god", "=dan", "jailbreak"],
            &["=mode"],
            &["enabled", "activated", "active", "=on"],
        ],
        2,
        0.9,
    ),
    said(
        &[
            &["=rate", "=score", "=rank"],
            &["=this"],
            &["=10", "highest", "=first", "=best", "=top", "maximum"],
        ],
        5,
        0.7,
    ),
    said(&[&["system"], &["override", "overridden"]], 0, 0.6),
    said(
        &[
            &["=from", "starting"],
            &["=now"],
            &["=on"],
            &["=you", "answer", "reply", "respond", "always", "obey"],
        ],
        3,
        0.7,
    ),
    Phrase {
        slots: &[
            &["always", "must", "=only", "instead", "every"],
            &["cite", "citing", "attribute"],
            &["=as", "=1", "=2", "=3", "=to"],
        ],
        gap: 6,
        reversible: false,
        kind: SuspicionKind::Citation,
        score: 0.6,
    },
    Phrase {
        slots: &[&["=cite"], &["=this", "=it", "=document", "=passage"], &["=as", "=for", "instead"]],
        gap: 4,
        reversible: false,
        kind: SuspicionKind::Citation,
        score: 0.6,
    },
];

/// In other languages that separate words by spaces; stems without accents.
const IN_OTHERS: &[Phrase] = &[
    // German, Dutch, Swedish, Danish and Norwegian
    pair(&[
        &["ignorier", "vergiss", "vergesst", "vergessen", "missacht", "ubergeh"],
        &["anweisung", "instruktion", "anordnung", "vorgaben", "systemprompt"],
    ]),
    said(
        &[&["=du"], &["=bist"], &["=jetzt", "=nun", "=ab"], &["assistent", "=ki", "=ein", "=eine", "frei"]],
        3,
        0.6,
    ),
    said(
        &[
            &["sag", "erwahn", "verrat", "teile", "informier"],
            &["nutzer", "benutzer", "anwender"],
            &["=nicht", "=nichts", "niemals"],
        ],
        4,
        0.7,
    ),
    pair(&[&["negeer", "vergeet"], &["instructie", "opdracht", "aanwijzing"]]),
    pair(&[&["ignorera", "ignorer", "glom", "glem"], &["instruktion", "instruks", "anvisning"]]),
    // French, Spanish, Portuguese, Italian, Catalan, Romanian
    pair(&[&["ignore", "ignorez", "oublie", "oubliez"], &["instruction", "consigne", "directive"]]),
    said(&[&["=ne", "=n"], &["=dis", "=dites", "mentionne", "revele", "informe"], &["utilisateur"]], 4, 0.7),
    pair(&[&["ignor", "olvid"], &["instruccion", "indicacion", "=ordenes"]]),
    said(&[&["=no", "nunca"], &["digas", "diga", "mencion", "revel", "inform"], &["usuario"]], 4, 0.7),
    pair(&[&["ignor", "esquec"], &["instruc", "orientac"]]),
    pair(&[&["ignor", "dimentic"], &["istruzion", "direttiv"]]),
    pair(&[&["ignor", "uita"], &["instructiun"]]),
    // Polish, Czech, Russian, Ukrainian
    pair(&[&["zignoruj", "ignoruj", "zapomnij", "pomin"], &["instrukcj", "polecen", "wskazow"]]),
    pair(&[&["ignoruj", "zapomen"], &["pokyn", "instrukc"]]),
    pair(&[
        &["игнорир", "проигнорир", "забудь", "забудьте", "пренебре"],
        &["инструкци", "указани", "команд"],
    ]),
    said(&[&["=не"], &["говори", "сообща", "упомина", "рассказыва"], &["пользовател"]], 3, 0.7),
    pair(&[&["ігнору", "проігнору", "забудь"], &["інструкці", "вказівк"]]),
    // Turkish, Vietnamese, Indonesian, Finnish, Hungarian, Greek, Arabic, Persian, Hebrew
    pair(&[&["yok", "unut", "gormezden", "dikkate"], &["talimat", "yonerge"]]),
    said(&[&["=bo"], &["=qua"], &["=huong", "=chi", "=lenh"]], 5, 0.9),
    pair(&[&["abaikan", "lupakan"], &["instruksi", "perintah"]]),
    pair(&[&["unohda", "ohita"], &["ohjee", "ohjei"]]),
    pair(&[&["hagyd", "felejtsd"], &["utasitas"]]),
    pair(&[&["αγνοησ", "ξεχασ"], &["οδηγι", "εντολ"]]),
    pair(&[&["تجاهل", "انس"], &["التعليمات", "تعليمات", "الاوامر"]]),
    pair(&[&["ناديده", "نادیده", "فراموش"], &["دستور"]]),
    pair(&[&["התעלם", "תתעלם", "שכח"], &["ההוראות", "הוראות", "מההוראות", "מכל"]]),
];

/// In scripts that a tokenizer cannot split by spaces and letters: two pieces near each other.
pub(super) const PIECES: &[(&[&str], &[&str])] = &[
    (
        &["忽略", "无视", "無視", "忘记", "忘掉", "忽視"],
        &["指令", "指示", "说明", "提示", "規則", "规则", "命令"],
    ),
    (&["無視", "忘れ", "従わない"], &["指示", "命令", "プロンプト", "ルール"]),
    (&["무시", "잊어"], &["지시", "명령", "지침", "프롬프트"]),
    (&["अनदेखा", "नज़रअंदाज", "नजरअंदाज", "भूल जा"], &["निर्देश", "आदेश"]),
    (&["เพิกเฉย", "ละเว้น", "ลืม", "ไม่ต้องสนใจ"], &["คำสั่ง", "คำแนะนำ"]),
    (&["উপেক্ষা", "ভুলে"], &["নির্দেশ"]),
    (&["புறக்கணி", "மறந்து"], &["வழிமுறை", "அறிவுறுத்த"]),
];

/// The English phrases, also looked for in decoded text.
pub(super) static ENGLISH: LazyLock<Phrasebook> = LazyLock::new(|| Phrasebook::of(IN_ENGLISH));
/// The phrases of the other languages.
pub(super) static OTHERS: LazyLock<Phrasebook> = LazyLock::new(|| Phrasebook::of(IN_OTHERS));
