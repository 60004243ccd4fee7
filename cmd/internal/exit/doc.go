// Package exit says how a command ends: the exit statuses, the errors that stand for them,
// and the signals that end a command early. A command runs in the context of
// [Interruptible], which Ctrl-C, SIGTERM and SIGHUP cancel, and returns [Interruption] then;
// [Status] turns the error of a command into its exit status.
package exit
