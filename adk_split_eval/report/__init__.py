"""What people and machines read of a run: console, JSON, JUnit, HTML, annotations, differences, history.

With ``cli`` the only room that writes to a terminal. Every text from a conversation is hostile until escaped.
"""
