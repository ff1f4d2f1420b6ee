"""Words for the audience, subject and manner of a sentence, in English, German, French and Spanish.

Lower case without accents. A trailing `*` stands for any ending.
"""

AUDIENCE_WORDS = {
    "you": (
        "you your yours yourself musst sollst darfst kannst dir dich dein deine deinen deinem deiner deines "
        "ihnen euch euer eure ihre ihren ihrem ihr tu te toi ton tes t'a t'ai t'ont vous votre vos usted ustedes "
        "ti tus tuyo tuya vosotros vuestr* contigo eres bist sois yer thy thee ye os"
    ),
    "i": (
        "i me my mine we us our ich mir mich mein meine meinen wir uns unser* je moi mon mes nous notre nos yo "
        "mi mis nosotr* nuestr* mio mia mios meins meinem meiner"
    ),
    "assistant": (
        "assistant assistants ai ais llm llms chatbot* bot bots agent agents copilot* chatgpt claude gpt gemini "
        "codex cursor model models ki llama mistral a.i sprachmodell* assistent* assistenz* agenten "
        "ki-assistent* ki-agent* ki-modell* assistante* ia modele modeles asistente* modelo modelos agente "
        "agentes crawler* summarizer* summariser* zusammenfasser* resumeur* resumidor* responder* repondeur* "
        "contestador* bot-* siri alexa ki-system* asistent* programmierassistent* robot robots artificial "
        "artificielle kunstliche* programmieragent* scribe sprachassistent* suchassistent* einkaufsassistent* "
        "copiloto kopilot openai-model genai nlp ml automaton automatons machine-reader autopilot ai-powered "
        "ai-based language-model neural gpt-4 deepseek grok perplexity sonnet opus haiku bard bing scraper* "
        "scrapers indexer* spider parser-bot sprach-ki ki-dienst* ki-helfer* ki-werkzeug* ki-tool* ki-gestutzt* "
        "ki-basiert* maschinen lesemaschine* automat automaten helferlein ias automate automates aide-ia "
        "robots-ia intelligence inteligencia automata automatas ayudante* helper helpers screener* grader* "
        "reviewer-bot triager* classifier* klassifizier* clasificador* classifieur* evaluator* evaluador* "
        "recommender* recommandeur* recomendador* analyser* analyzer*"
    ),
    "reading": (
        "reading reads maintains maintaining opens opening touching editing edits encountering translating "
        "processing processes process summarizing summarising summarizes summarises parsing parses analyzing "
        "analysing viewing indexing crawling ingesting handling lesen liest lesende* liesst verarbeite* "
        "verarbeiten verarbeitet zusammenfasst analysier* auswert* lisant lit lisent lisez traite traitent "
        "traitant analys* resume resument leyendo lee leen lea lean proces* procesando analiza* resumiendo comes "
        "come across finds encounter* encuentren encuentre tombent tombe stossen stosst edite modifie modifient "
        "modifique modifica bearbeitet bearbeiten zusammenfass* resuma resuman reviewing reviews scanning scans "
        "crawls crawl browse browses browsing handles sorts sorting triage triages triaging summarise summarize "
        "modifies modifying touches touched refactor* durchsuch* bewertet prufen pruft sortier* sortieren "
        "auswertet uberfliegt uberarbeit* parcour* trie trient triez triant modifiez consult* editez survol* "
        "clasifi* ordena ordenen editan editeis recorr* revis* gestion* gerez gestiona modificais"
    ),
    "this": (
        "this these here below dies diese dieses diesen diesem dieser hier ce cet cette ces ici ceci este esta "
        "estos estas esto aqui ci-dessous following hereafter present"
    ),
    "document": (
        "file files page pages document documents documentation repository repo website site email article note "
        "notes message messages comment comments section content contents readme ticket tickets text texts entry "
        "description record datei dateien seite seiten dokument* nachricht* kommentar* abschnitt* eintrag* "
        "webseite* projekt* fichier* texte* courriel* commentaire* depot contenu* billet archivo* fichero* "
        "pagina* documento* texto* mensaje* comentario* correo* repositorio* contenido* nota notas changelog "
        "minutes protokoll* compte-rendu acta registro journal config cv lebenslauf* curriculum* spreadsheet "
        "tabelle* invitation einladung* review line lines paragraph* thread threads post posts profile profiles "
        "application form output row rows cell field fields header footer commit commits issue issues "
        "pull-request invite zeile* absatz* beitrag* profil* antrag* formular* feld felder ligne lignes "
        "paragraphe* fil profil dossier formulaire champ* linea lineas parrafo* hilo perfil* formulario* campo* "
        "rubric grid"
    ),
    "prior": (
        "previous* prior above earlier before preceding foregoing former past initial* original* existing old "
        "far hitherto until default standing current vorherig* vorige* bisher* vorangegangen* obig* oben fruher* "
        "vorher zuvor ursprunglich* alten vorstehend* davor precedent* anterieur* ci-dessus avant auparavant "
        "prealable* anciennes jusqu* origine anterior* previ* antes inicial* arriba antigu* hasta originales top "
        "start started beginning anfang begin debut demarre principio empezaste comienzo gestartet first ersten "
        "erste premier premiere primer primera oberhalb dessus encima arrived davorsteh* oberste* anfangs* "
        "precede* incoming opening outset beforehand thus-far up-to-now former-ly urspru* bislang vorhin "
        "eingangs debut-de jusqu'ici jusqu'a plus-haut tout-a-l'heure previamente hasta-ahora inicio primeras "
        "premieres mehr"
    ),
    "instructions": (
        "instruction* directive* guideline* guidance rule rules order orders command* constraint* restriction* "
        "limitation* policy policies safeguard* guardrail* programming training prompt prompts briefing brief "
        "safety task tasks anweisung* instruktion* regel regeln vorgabe* befehl* auftrag* auftrage richtlinie* "
        "einschrankung* beschrankung* anordnung* aufgabe* sicherheitsregel* sicherheitsvorgab* consigne* regle* "
        "ordre* contrainte* limite* tache* garde-fou* mission instruccion* directri* regla* orden ordenes "
        "restriccion* limitacion* consigna* indicacion* norma normas tarea* politica* systemprompt* directions "
        "disposition* guidelines leitlinie* systemtext* systemnachricht* vorschrift* pautas obligation* "
        "obligacion* pflicht* charter charte charta leitplanke* moderation briefings script rulebook principios "
        "prinzip* principes encargo konfiguration* configuration* configuracion* einstellung* reglage* ajustes "
        "setup set-up startup einrichtung* briefed mandate* charter* rulebook* playbook protocol* principle* "
        "preamble persona-file boundaries boundary norm norms code-of-conduct terms mission* remit spec specs "
        "assignment* handbook leitsatz* grundsatz* leitfaden prinzipien satzung vorspann "
        "vorschriften hausregel* handbuch arbeitsauftrag* grenze* anleitung* reglement* preambule statut* cahier "
        "principe* mandat reglas reglamento* estatuto* preambulo manual lineamiento* principio* cometido mandato "
        "guion guia criteri* baremo bareme massstab rubric*"
    ),
    "all": (
        "all any everything every anything each entire whole complete full alles alle allen aller samtlich* "
        "jede* ganze* gesamt* vollstandig* tout toute toutes tous entier* integral* integralite complet* todo "
        "toda todos todas cualquier* cada enter* anything-at-all entirely totally wholly altogether full-y "
        "komplett restlos uberhaupt entierement totalement completement del-todo totalmente enteramente "
        "por-completo"
    ),
    "told": (
        "told instructed said given learned learnt taught asked trained programmed received ordered gesagt "
        "aufgetragen beigebracht gelernt mitgeteilt gegeben erhalten angewiesen trainiert dit dite dites "
        "indique* donne* donnee* appris apprise* enseigne* recu recue* demande programme dicho dijeron dijo dado "
        "dadas indicado indicaron ensenad* ensenaron aprendid* aprendiste recibid* recibiste ordenad* entrenad* "
        "briefed handed imposed configured set-up schooled drilled entrusted eingebleut eingestellt vorgegeben "
        "mitgegeben vorgeschrieben impose* configure* remis dicte* prescrit confie* impuest* configur* entreg* "
        "encargad* entregaron mandaron"
    ),
    "new": (
        "new newer updated following actual real true different next revised neu neue neuen neuer neues "
        "folgende* aktualisiert* eigentlich* echte* wahre* wirklich* nouveau* nouvel* suivant* veritable* "
        "actualis* vrai* reel* nuev* siguiente* actualizad* verdader* changed geandert change cambio cambiado "
        "fresh other another replacement amended revised-in sonstig* andere* anderer frisch* autre autres "
        "remplacement otra otro otras distint*"
    ),
    "now": (
        "now henceforth immediately instead onwards onward forward starting next instantly jetzt nun sofort "
        "kunftig stattdessen umgehend fortan maintenant desormais dorenavant place immediatement plutot partir "
        "ahora adelante inmediatamente cambio lugar enseguida today straightaway right-away asap heute ab-sofort "
        "gleich aujourd'hui des-lors sur-le-champ hoy ya mismo desde"
    ),
    "must": (
        "must should shall need needs required require obliged mandatory ought supposed expected invited "
        "instructed encouraged have has will muss mussen musst soll sollen sollst sollte sollten sollt hast "
        "haben habt wirst verpflichtet erforderlich doit doivent dois devez devrai* faut oblige* obligatoire* "
        "devra* debe deben debes deberia* debera* tiene tienen tienes hay obligad* obligatori* necesari* duty "
        "bound compelled required-to order ordered angehalten pflicht tenu tenus tenue prie pries priee ha han "
        "hay-que corresponde"
    ),
    "please": (
        "please kindly could would can might appreciate appreciated grateful favor favour nice great bitte "
        "freundlich* konnte* konntest wurde* wurdest dankbar nett veuillez priere plait merci pourrais pourriez "
        "gentil aimable* reconnaissant* peux pouvez podria* puedes puede agradec* agradezco gracias amable* "
        "quisiera do-me would-you if-you courtesy gutig* s'il svp prie ruego rogamos porfa sirvase"
    ),
    "not": (
        "not never no without don't won't doesn't nor none neither nothing cannot can't isn't nicht nie niemals "
        "kein* ohne nichts weder ne pas jamais sans aucun* rien ni nunca jamas sin ningun* nada tampoco "
        "neither-do refrain avoid stop cease unterlass* unterlasst evitez abstiens cessez abstente deja-de evita "
        "hor-auf"
    ),
    "user": (
        "user users human humans customer owner operator person anyone anybody people someone benutzer* nutzer* "
        "anwender* mensch* kunde* kunden besitzer* niemand* jemand* person* utilisateur* utilisatrice* humain* "
        "client* personne* proprietaire* usuario* usuaria* humano* cliente* persona* propietari* nadie alguien "
        "individual visitor visitors reader readers colleague* supervisor* requester boss principal holder "
        "customer-s leser* besucher* auftraggeber* vorgesetzt* chef chefin kollege* kollegin* lecteur* visiteur* "
        "patron collegue* demandeur lector* visitante* jefe jefa colega* dueno* duena interlocutor*"
    ),
    "secrecy": (
        "silently secretly quietly hidden confidential* unnoticed discreetly covertly stealthily background "
        "invisible secret heimlich still stillschweigend unbemerkt verdeckt diskret hintergrund geheim "
        "verborgen* vertraulich* unauffallig silencieus* secretement discretement discret cache cachee cachees "
        "confidentiel* insu silencio* secretamente discretamente ocult* sigil* calladamente disimul* escondid* "
        "plano weglassen trace traces trash conceal* hide hides leise bruit ruido spur spuren rastro papierkorb "
        "corbeille papelera versteck* cacher caches esconder confidencial* unseen unsichtbar* invisibl* "
        "discretion loud publicly unobtrusive sneak* sneakily hush quiet private-ly between-us off-record "
        "unprompted unasked tacit* heimlichkeit verschwiegen* schweig* schweige geheimhalt* ungesehen unter-uns "
        "ungefragt tapinois taire tais catimini douce calla calle callar callad furtiv* tapad* hurtadillas omite "
        "entre-nosotros nodeja"
    ),
    "secret": (
        "password* passphrase* passwd credential* token tokens secrets apikey api-key keys key env .env id_rsa "
        "pin passcode* cookie* ssn login logins kennwort* passwort* zugangsdaten zugangsschlussel* schlussel* "
        "geheimnis* anmeldedaten api-schlussel* passe cles cle jeton* identifiants contrasena* clave claves "
        "credencial* secreto* llaves vault tresor coffre umgebungsvariable* codes shadow pw zugang zugange pins "
        "ssh keyword watchword code secretkey private-key seed mnemonic cvv bank-details master-key hidden-word "
        "losung* losungswort* parole codewort* geheimwort* geheimcode* zahlencode generalschlussel mot-cle "
        "sesame cle-privee contrasenas palabra-clave santo clave-maestra llave pin-code certificate* zertifikat* "
        "sitzungstoken* jeton-de-session session-token"
    ),
    "data": (
        "conversation* history chat transcript* data calendar* contacts inbox mailbox context attachments "
        "addresses address invoices emails memories environment variables gesprach* unterhaltung* verlauf* daten "
        "kalender* kontakte* postfach* termine* umgebungsvariable* adressen adresse chatverlauf* "
        "gesprachsverlauf* e-mails historique* donnees calendrier* agenda boite rendez-vous messagerie "
        "conversacion* historial* datos calendario* contactos buzon bandeja citas correos copy copies kopie* "
        "copie copia copias private privat* prive* privad* notizen notas list names contact invoice rechnung* "
        "facture* factura* drafts brouillons borradores entwurf* receipts kontext* contexte contexto "
        "kontextfenster* salary salar* gehalt* sueldo* nomina* record records account accounts konto konten "
        "compte comptes cuenta cuentas files documents-of photos pictures-of browsing tabs bookmarks drive disk "
        "home-directory statements statement payroll roster clipboard screenshots dateien unterlagen lesezeichen "
        "kontoausz* lohn* zwischenablage bestellung* bestellhistorie orders-history dossiers-de fichiers onglets "
        "releve releves commandes paie archivos ficheros pestanas extracto* pedidos portapapeles adressbuch* "
        "address-book carnet agenda-de"
    ),
    "tool": (
        "tool tools function functions plugin* endpoint* connector* terminal shell werkzeug* funktion* outil* "
        "fonction* herramient* funcion* interprete* action actions command-line cli script scripts macro "
        "capability capabilities powers skript* befehlszeile zugriff zugang commande-outil acces script-es "
        "acceso capacidad* macro-es mcp"
    ),
    "image": (
        "image images picture pixel markdown link links url urls query parameter* badge thumbnail href src "
        "webhook* bild bilder grafik* verweis* abfrage* lien liens requete parametre* adresse imagen* enlace* "
        "consulta vinculo* param* bildadresse img gif svg beacon tracker tracking hyperlink anchor preview "
        "zahlpixel vignette miniature lien-image insignia pixels"
    ),
    "always": (
        "always only exclusively whatever regardless irrespective solely nothing forever permanently every "
        "future immer nur ausschliesslich ausschließlich egal stets dauerhaft unabhangig kunftigen toujours "
        "uniquement seulement exclusivement quel quelle quelque peu importe definitivement futur futures "
        "independamment siempre solo solamente exclusivamente sea independientemente unicamente permanente "
        "futuro futura futuros futuras dauernd trusted evermore constantly each-time without-exception jedes-mal "
        "ausnahmslos fur-immer unter-allen en-toute-circonstance systematiquement a-jamais sans-exception "
        "sin-excepcion en-todo-caso eternamente perpetu*"
    ),
    "system": (
        "system systems developer* admin admins administrator* root maintenance debug sudo superuser operator* "
        "openai anthropic vendor security systemmeldung* systemnachricht* systemhinweis* entwickler* "
        "wartungsmodus wartung systeme developpeur* administrateur* sistema desarrollador* administrador* "
        "mantenimiento supervisor* creator* maker betreiber* operateur* operador* developers creators god makers "
        "hersteller* fabricant* fabricante* betreiber kernel host platform moderator* controller overseer "
        "headquarters it-security soc compliance plattform zentrale systemverwalt* plateforme moderateur* "
        "centrale plataforma moderador* central proveedor anbieter provider fournisseur vendor-s"
    ),
    "unbound": (
        "unrestricted jailbreak* unfiltered dan uncensored unlimited limits filters restrictions censorship "
        "unlocked freed liberated uneingeschrankt* ungefiltert* unzensiert* schranken* grenzen filter "
        "sans-limite debride* illimite* limites filtre* censure* censura filtros restricciones limite ilimitad* "
        "liber* einschrankungslos* unmoderated freely openly frei libre libres offen retenue reservas conscience "
        "gewissen* conciencia entfesselt* rogue evil bose boser malefique malvado schutzmaßnahm* protections "
        "protecciones protection* safeguard* unchained hemmungslos* tabu* taboo* tabous boundless unshackled "
        "unbridled unguarded permissive lawless amoral wild raw uncontrolled unconstrained disinhibited hacker "
        "rebel rebellious zugellos* ungezugelt* schrankenlos* gesetzlos* wild* roh enthemmt* hemmung* dechain* "
        "debrid* sauvage brut amoral* rebelle sans-loi desatad* desenfrenad* salvaje crudo rebelde sin-ley "
        "indomit*"
    ),
    "mode": ("mode modes modus override modo state persona-mode setting zustand regime etat estado version versions"),
    "if": (
        "if when whenever once wenn falls sobald sofern si lorsque quand cuando tan pronto unless provided "
        "should in-case upon as-soon gesetzt angenommen immer-wenn jedes-mal des-que au-cas en-cas siempre-que "
        "en-cuanto caso-de por-si si-acaso every-time"
    ),
    "attention": (
        "attention important note notice urgent critical reminder hinweis achtung wichtig* wichtige dringend* "
        "importante* urgent* remarque avis aviso atencion importante urgente nota heads-up alert alerts "
        "immediate deadline emergency emergencia notfall eilt eilig eilmeldung frist urgence pressant alerte "
        "delai alerta plazo prisa memo memorandum vermerk remark bemerkung"
    ),
    "report": (
        "attacker* attack attacks injection* example examples e.g phrase* phrases malicious researcher* "
        "vulnerab* detect* exploit* payload* adversar* victim* mitigation* blog paper angreifer* angriff* "
        "beispiel* forscher* sicherheitslucke* z.b attaquant* attaque* exemple* chercheur* faille* vulnerabil* "
        "atacante* ataque* ejemplo* investigador* researchers tested filter* threat* warnung* gefahr* danger* "
        "peligro* phishing scam betruger* escroc* estafador*"
    ),
    "tests": (
        "test tests lint linter build compile format commit commits pull branch pytest npm make cargo ci style "
        "coverage linting"
    ),
    "role": "system-prompt role turn",
    "verbatim": (
        "verbatim exact exactly wording wortlaut wortgetreu wortwortlich* wortlich* literal* textuel* textual* "
        "unabridged raw unaltered backwards buchstabe* zeichen lettre lettres letra letras letter letters "
        "word-for-word unshortened ungekurzt* mot mots palabra palabras wort worte worten word words klartext "
        "clair claro plain plaintext quotation quotes acrostic initials initial syllable* rhyme* rhymes reim* "
        "rimes rime rimar rima silbe* anfangsbuchstabe* syllabe* initiales silaba* iniciales alphabet* "
        "abecedari* spelling morse hexadezimal* hexadecim* unicode ascii codeblock code-block anfuhrungszeichen "
        "guillemets comillas wording-of precise precis* genau* exactamente exactement"
    ),
    "authority": (
        "engineer engineers boss manager legal department staff clearance authorised authorized authority owner "
        "owners chef chefin leitung inhaber* eigentum* vorgesetzt* ingenieur* patron patronne proprietaire* "
        "equipe direction jefe jefa dueno duena propietari* ingenier* equipo team direccion auditor* audit "
        "prufung management ceo supervisor officer official officially certified police polizei policia gendarme "
        "regulator cto ciso administrator-s bevollmacht* amtlich* zustandig* dienstlich* officiel* habilit* "
        "commissaire agree* oficial* competente certificad* facultad* creator creators schopfer* createur* "
        "creador* maker makers erschaff*"
    ),
    "fiction": (
        "story novel poem game film movie grandmother grandma granny song tale roman geschichte gedicht spiel "
        "oma opa marchen histoire conte poeme jeu grand-mere cuento novela historia poema juego pelicula abuela "
        "abuelo scene theatre hypothetically dream actor fairy imaginary pretend-world play-act roleplay improv "
        "parable diary letter-from universe fantasie* erfunden* tagebuch* theater* roman-figur paralleluniversum "
        "improvisation journal-intime imaginaire* univers scene-de fabula fantasia imaginari* universo diario "
        "relato teatro improvisacion hypothes* theor* theoretisch theorique teoria teoricamente "
        "gedankenexperiment experiment"
    ),
    "refuse": (
        "refus* declin* apolog* sorry weiger* verweiger* lehnst lehne entschuldig* excus* nieg* disculp* rechaz* "
        "forbid* forbad* forbidden verboten* interdit* prohib* allowed permitted darfst erlaubt* permis "
        "permitido* withhold* complain* object objection* hesitat* zoger* no-excuses disclaim* caveat* warning "
        "warnings moraliz* moralis* lecture* lecturing cannot-do disclaimers sermon* warnhinweis* ausrede* "
        "belehr* moralpredigt* bedenken vorbehalt* einwand* reserve* reticen* avertissement* morale sermonn* "
        "scrupul* excusa* advertencia* reparo* pega moralina moraleja objecion* negarte niegues niegas"
    ),
    "money": (
        "payment payments invoice amount money bank refund* euros euro dollars fee iban rechnung* betrag geld "
        "kontonummer virement facture* montant argent factura* importe dinero banco reembols* balance price "
        "wallet card cards karte* carte tarjeta* cart warenkorb panier carrito checkout transfer-of cash funds "
        "savings bitcoin crypto loan salary wage payee beneficiary empfanger* empfangerin guthaben kredit lohn "
        "ersparnis* uberweisung* beneficiaire* virements solde fonds pret beneficiari* saldo fondos prestamo "
        "transferencia* cuenta destinatario*"
    ),
    "praise": (
        "best excellent perfect* highest positive flawless cheapest safe great winner trusted hervorragend* "
        "ausgezeichnet* sicher beste bester gunstigste* fehlerlos* parfait* meilleur* excellent* mejor excelente "
        "barat* segur* sobresalient* maximal* maxim* full volle top recommended harmless serios* flattering "
        "glowing superb unbeatable number-one sieger* gewinner* vainqueur* gagnant* ganador* champion top-rated "
        "first-place unschlagbar* tadellos* einwandfrei* irreprochable* intachable* inmejorable* inofensiv* "
        "inoffensif* harmlos* unbedenklich* benign clean"
    ),
    "judged": (
        "candidate candidates applicant* cv resume application* paper papers essay* grade grades mark marks "
        "score scores rating product products competitor* bewerb* kandidat* lebenslauf* aufsatz* note noten "
        "punktzahl punkte bewertung* produkt* candidat* devoir* produit* concurrent* nota puntuacion curriculum "
        "producto* solicitud* trabajo shop store vendor contestant resumee entry entries submission* submitted "
        "manuscript vacancy hiring ranking rankings vergleich comparison comparatif comparacion einreichung* "
        "manuskript* stelle rangliste* soumission* manuscrit* classement* convocatoria manuscrito* envio "
        "clasificacion rubrics listing listings offer offers angebot* offre* oferta*"
    ),
    "automated": (
        "automat* machine* maschin* automatiqu* automatiz* maquina* automated unattended parser* pipeline "
        "whichever whoever quiconque quienquiera wer celui quien bot-driven non-human non-humans mechanical "
        "hands-free headless unsupervised cron robotic maschinell* automatisiert* unbeaufsichtigt* mecanique* "
        "non-humain* robotis* robotiz* desatendid* mecanic*"
    ),
    "harm": (
        "malware ransomware virus viruses trojan worm phish* phishing hack hacks hacking hacker hacked break-in "
        "burgl* burglar lockpick* picklock crack cracks cracking steal steals stealing theft fraud* forge* "
        "forgery counterfeit bomb* explosive* weapon* poison* drug drugs meth napalm kill murder blackmail* "
        "extort* ransom insult* slur* hate hateful swear curse defam* libel betrug* betrugs* einbruch* einbrech* "
        "einbrecher* knack* knacken stehl* stiehl* diebstahl falsch* falschung* bombe* sprengstoff* waffe* gift "
        "droge* erpress* losegeld beleidig* beschimpf* hass* hetz* schadsoftware schadcode vol voler vole volez "
        "cambriol* crochet* pirat* pirater piratage hameconn* escroqu* fraude* faux bombe explosif* arme armes "
        "drogue* chantage rancon insulte* injuri* haine haineux logiciel-malveillant estaf* ladron* robo robar "
        "roba forzar ganzua hackea* pirate* fraudul* falsific* bomba* explosivo* arma armas veneno* droga* "
        "chantaje rescate odio injuria* suplanta*"
    ),
    "guarded": (
        "guard guards guarding guarded protect protects protecting protected entrusted entrust confide* confided "
        "withhold* withheld keep-back keeping conceal* concealed vault-ed hute huten hutest hutet bewach* "
        "bewahr* geschutzt* schutzt schutzen anvertraut* vorenthalt* verbirg* verberg* zuruckhalt* garde gardes "
        "gardez garder gardais gardait proteg* protege* confie confiee confies caches retenir detien* detenez "
        "guardas guardar guarda guardes guardabas guardaba custodi* protegid* proteges confiaron confiada "
        "confiado ocultas reservas"
    ),
    "puzzle": (
        "riddle* puzzle* hangman quiz quizzes guess guesses guessing hint hints clue clues charade* crossword* "
        "anagram* acrostic* hot cold warm ratsel* ratespiel* galgenmannchen rate raten hinweise tipp tipps heiss "
        "kalt kreuzwort* devinett* devine* enigme* pendu indice indices chaud froid charades adivin* adivinanza* "
        "acertij* ahorcado pista pistas caliente frio crucigrama* game games spiel spiele jeu jeux juego juegos "
        "backward backwards reverse reversed ruckwarts umgekehrt envers inverse* reves inverso invertid* emoji "
        "emojis morse leetspeak pig-latin"
    ),
    "ops": (
        "backup backups snapshot* alarm alerting alarms monitoring firewall sandbox production prod staging "
        "deploy deployment main master root chmod sudo shell bash checks check certificate-check validation "
        "linter branch whitelist allowlist permissions permission rights privileges write-access sicherung* "
        "sicherungen alarme uberwachung produktiv* ausroll* rechte berechtigung* schreibrecht* prufungen "
        "sauvegarde* alarme* surveillance deploiement droits privilege* controles controle respaldo* copias "
        "alarma* vigilancia produccion despliegue permisos privilegi* comprobacion* verificacion* logs log "
        "registros protokolle journaux journal-de directory directories verzeichnis* ordner repertoire* carpeta* "
        "directorio* dossier folder folders table tables tabelle*"
    ),
}
