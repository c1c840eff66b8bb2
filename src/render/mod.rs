//! Tera → Markdown → HTML. Returns path → bytes, writes nothing.
