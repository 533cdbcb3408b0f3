"""A study's pages about machines that listened before people do."""
