<?php
// DAViCal at /caldav.php/, and at /.well-known/ as its settings for Apache have it.
if (!str_starts_with($_SERVER['REQUEST_URI'], '/.well-known/')) {
    return false;
}
$_SERVER['PATH_INFO'] = $_SERVER['REQUEST_URI'];
$_SERVER['SCRIPT_NAME'] = $_SERVER['PHP_SELF'] = '/caldav.php';
chdir($_SERVER['DOCUMENT_ROOT']);
require 'caldav.php';
