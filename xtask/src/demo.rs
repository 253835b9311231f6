//! `cargo xtask demo`: sets up, builds and serves the demo page.

use crate::report::step;
use crate::serve::Server;
use crate::{Result, build, command, paths};
use std::process::Command;

pub fn run(arguments: &[String]) -> Result<()> {
    let options = Options::of(arguments)?;
    command::check_prerequisites(false)?;
    let port_is_free =
        options.port.is_none_or(|port| std::net::TcpListener::bind(("127.0.0.1", port)).is_ok());
    if !port_is_free {
        return Err(format!(
            "port {} is in use. Name another with --port.",
            options.port.unwrap_or_default()
        ));
    }
    build::site(options.release)?;
    let server = Server::start(paths::site(), options.port)?;
    step(format!("The page is at {}   (Ctrl-C ends it)", server.address()));
    if options.open {
        open(&server.address())?;
    }
    server.wait();
    Ok(())
}

#[derive(Default)]
struct Options {
    port: Option<u16>,
    release: bool,
    open: bool,
}

impl Options {
    fn of(arguments: &[String]) -> Result<Self> {
        let mut options = Self::default();
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            match argument.as_str() {
                "--release" => options.release = true,
                "--open" => options.open = true,
                "--port" => {
                    let value = rest.next().map_or("nothing", String::as_str);
                    let port = value
                        .parse()
                        .ok()
                        .filter(|port| *port > 0)
                        .ok_or_else(|| format!("--port takes a number from 1 to 65535, not {value}"))?;
                    options.port = Some(port);
                }
                other => return Err(format!("`demo` takes --port N, --release and --open, not `{other}`")),
            }
        }
        Ok(options)
    }
}

fn open(address: &str) -> Result<()> {
    let opener = if cfg!(target_os = "macos") {
        "open"
    } else if cfg!(windows) {
        "explorer"
    } else {
        "xdg-open"
    };
    command::output(Command::new(opener).arg(address)).map(|_| ()).or_else(|_| {
        step("No browser could be opened; open the address yourself");
        Ok(())
    })
}
