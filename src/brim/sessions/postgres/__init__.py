"""What the store on PostgreSQL is made of; `brim.sessions.sql` is its door."""
