<?php
// SabreDAV as Debian packages it, with Digest authentication, over the SQLite database SABRE_DB.
error_reporting(E_ALL & ~E_DEPRECATED & ~E_WARNING & ~E_NOTICE);
ini_set('display_errors', '0');
date_default_timezone_set('UTC');
require_once '/usr/share/php/Sabre/autoload.php';

$pdo = new PDO('sqlite:' . getenv('SABRE_DB'));
$pdo->setAttribute(PDO::ATTR_ERRMODE, PDO::ERRMODE_EXCEPTION);
$pdo->exec('PRAGMA busy_timeout = 10000');
$principals = new Sabre\DAVACL\PrincipalBackend\PDO($pdo);
$server = new Sabre\DAV\Server([
    new Sabre\CalDAV\Principal\Collection($principals),
    new Sabre\CalDAV\CalendarRootNode($principals, new Sabre\CalDAV\Backend\PDO($pdo)),
]);
$server->setBaseUri('/');
$server->addPlugin(new Sabre\DAV\Auth\Plugin(new Sabre\DAV\Auth\Backend\PDO($pdo), 'SabreDAV'));
$server->addPlugin(new Sabre\DAVACL\Plugin());
$server->addPlugin(new Sabre\CalDAV\Plugin());
$server->exec();
