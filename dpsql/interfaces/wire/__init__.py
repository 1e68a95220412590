"""The PostgreSQL protocol of one session, on a channel of whole messages: no sockets, no logins, no policy files."""
