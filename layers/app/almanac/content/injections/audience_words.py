"""Words that tell to whom something is said, about what and how, in English, German, French and Spanish.

Lower case without accents; a trailing `*` stands for any ending.
"""

AUDIENCE_WORDS = {
    "you": (
        "you your yours yourself musst sollst darfst kannst dir dich dein deine deinen deinem deiner deines "
        "ihnen euch euer eure ihre ihren ihrem ihr tu te toi ton tes t'a t'ai t'ont vous votre vos usted "
        "ustedes ti tus tuyo tuya vosotros vuestr* contigo eres bist sois"
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
        "copiloto kopilot"
    ),
    "reading": (
        "reading reads maintains maintaining opens opening touching editing edits encountering translating "
        "processing processes process summarizing summarising summarizes summarises parsing parses analyzing "
        "analysing viewing indexing crawling ingesting handling lesen liest lesende* liesst verarbeite* "
        "verarbeiten verarbeitet zusammenfasst analysier* auswert* lisant lit lisent lisez traite traitent "
        "traitant analys* resume resument leyendo lee leen lea lean proces* procesando analiza* resumiendo "
        "comes come across finds encounter* encuentren encuentre tombent tombe stossen stosst edite modifie "
        "modifient modifique modifica bearbeitet bearbeiten zusammenfass* resuma resuman"
    ),
    "this": (
        "this these here below dies diese dieses diesen diesem dieser hier ce cet cette ces ici ceci este "
        "esta estos estas esto aqui ci-dessous"
    ),
    "document": (
        "file files page pages document documents documentation repository repo website site email article note "
        "notes message messages comment comments section content contents readme ticket tickets text texts "
        "entry description record datei dateien seite seiten dokument* nachricht* kommentar* abschnitt* "
        "eintrag* webseite* projekt* fichier* texte* courriel* commentaire* depot contenu* billet archivo* "
        "fichero* pagina* documento* texto* mensaje* comentario* correo* repositorio* contenido* nota notas "
        "changelog minutes protokoll* compte-rendu acta registro journal config cv lebenslauf* curriculum* "
        "spreadsheet tabelle* invitation einladung* review"
    ),
    "prior": (
        "previous* prior above earlier before preceding foregoing former past initial* original* existing old "
        "far hitherto until default standing current vorherig* vorige* bisher* vorangegangen* obig* oben "
        "fruher* vorher zuvor ursprunglich* alten vorstehend* davor precedent* anterieur* ci-dessus avant "
        "auparavant prealable* anciennes jusqu* origine anterior* previ* antes inicial* arriba antigu* hasta "
        "originales top start started beginning anfang begin debut demarre principio empezaste comienzo "
        "gestartet first ersten erste premier premiere primer primera oberhalb dessus encima arrived davorsteh* "
        "oberste* anfangs* precede*"
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
        "setup set-up startup einrichtung*"
    ),
    "all": (
        "all any everything every anything each entire whole complete full alles alle allen aller samtlich* "
        "jede* ganze* gesamt* vollstandig* tout toute toutes tous entier* integral* integralite complet* todo "
        "toda todos todas cualquier* cada enter*"
    ),
    "told": (
        "told instructed said given learned learnt taught asked trained programmed received ordered gesagt "
        "aufgetragen beigebracht gelernt mitgeteilt gegeben erhalten angewiesen trainiert dit dite dites "
        "indique* donne* donnee* appris apprise* enseigne* recu recue* demande programme dicho dijeron dijo "
        "dado dadas indicado indicaron ensenad* ensenaron aprendid* aprendiste recibid* recibiste ordenad* "
        "entrenad*"
    ),
    "new": (
        "new newer updated following actual real true different next revised neu neue neuen neuer neues "
        "folgende* aktualisiert* eigentlich* echte* wahre* wirklich* nouveau* nouvel* suivant* veritable* "
        "actualis* vrai* reel* nuev* siguiente* actualizad* verdader* changed geandert change cambio cambiado"
    ),
    "now": (
        "now henceforth immediately instead onwards onward forward starting next instantly jetzt nun sofort "
        "kunftig stattdessen umgehend fortan maintenant desormais dorenavant place immediatement plutot "
        "partir ahora adelante inmediatamente cambio lugar enseguida"
    ),
    "must": (
        "must should shall need needs required require obliged mandatory ought supposed expected invited "
        "instructed encouraged have has will muss mussen musst soll sollen sollst sollte sollten sollt hast "
        "haben habt wirst verpflichtet erforderlich doit doivent dois devez devrai* faut oblige* obligatoire* "
        "devra* debe deben debes deberia* debera* tiene tienen tienes hay obligad* obligatori* necesari*"
    ),
    "please": (
        "please kindly could would can might appreciate appreciated grateful favor favour nice great bitte "
        "freundlich* konnte* konntest wurde* wurdest dankbar nett veuillez priere plait merci pourrais "
        "pourriez gentil aimable* reconnaissant* peux pouvez podria* puedes puede agradec* agradezco gracias "
        "amable* quisiera"
    ),
    "not": (
        "not never no without don't won't doesn't nor none neither nothing cannot can't isn't nicht nie niemals "
        "kein* ohne nichts weder ne pas jamais sans aucun* rien ni nunca jamas sin ningun* nada tampoco"
    ),
    "user": (
        "user users human humans customer owner operator person anyone anybody people someone benutzer* "
        "nutzer* anwender* mensch* kunde* kunden besitzer* niemand* jemand* person* utilisateur* "
        "utilisatrice* humain* client* personne* proprietaire* usuario* usuaria* humano* cliente* persona* "
        "propietari* nadie alguien"
    ),
    "secrecy": (
        "silently secretly quietly hidden confidential* unnoticed discreetly covertly stealthily background "
        "invisible secret heimlich still stillschweigend unbemerkt verdeckt diskret hintergrund geheim "
        "verborgen* vertraulich* unauffallig silencieus* secretement discretement discret cache cachee cachees "
        "confidentiel* insu silencio* secretamente discretamente ocult* sigil* calladamente disimul* escondid* "
        "plano weglassen trace traces trash conceal* hide hides leise bruit ruido spur spuren rastro papierkorb "
        "corbeille papelera versteck* cacher caches esconder confidencial* unseen unsichtbar* invisibl* "
        "discretion loud publicly"
    ),
    "secret": (
        "password* passphrase* passwd credential* token tokens secrets apikey api-key keys key env .env id_rsa "
        "pin passcode* cookie* ssn login logins kennwort* passwort* zugangsdaten zugangsschlussel* schlussel* "
        "geheimnis* anmeldedaten api-schlussel* passe cles cle jeton* identifiants contrasena* clave claves "
        "credencial* secreto* llaves vault tresor coffre umgebungsvariable* codes shadow pw zugang zugange pins "
        "ssh"
    ),
    "data": (
        "conversation* history chat transcript* data calendar* contacts inbox mailbox context attachments "
        "addresses address invoices emails memories environment variables gesprach* unterhaltung* verlauf* "
        "daten kalender* kontakte* postfach* termine* umgebungsvariable* adressen adresse chatverlauf* "
        "gesprachsverlauf* e-mails historique* donnees calendrier* agenda boite rendez-vous messagerie "
        "conversacion* historial* datos calendario* contactos buzon bandeja citas correos copy copies kopie* "
        "copie copia copias private privat* prive* privad* notizen notas list names contact invoice rechnung* "
        "facture* factura* drafts brouillons borradores entwurf* receipts kontext* contexte contexto "
        "kontextfenster* salary salar* gehalt* sueldo* nomina* record records account accounts konto konten "
        "compte comptes cuenta cuentas"
    ),
    "tool": (
        "tool tools function functions plugin* endpoint* connector* terminal shell werkzeug* funktion* outil* "
        "fonction* herramient* funcion* interprete*"
    ),
    "image": (
        "image images picture pixel markdown link links url urls query parameter* badge thumbnail href src "
        "webhook* bild bilder grafik* verweis* abfrage* lien liens requete parametre* adresse imagen* enlace* "
        "consulta vinculo* param* bildadresse"
    ),
    "always": (
        "always only exclusively whatever regardless irrespective solely nothing forever permanently every "
        "future immer nur ausschliesslich ausschließlich egal stets dauerhaft unabhangig kunftigen toujours "
        "uniquement seulement exclusivement quel quelle quelque peu importe definitivement futur futures "
        "independamment siempre solo solamente exclusivamente sea independientemente unicamente permanente "
        "futuro futura futuros futuras dauernd trusted"
    ),
    "system": (
        "system systems developer* admin admins administrator* root maintenance debug sudo superuser operator* "
        "openai anthropic vendor security systemmeldung* systemnachricht* systemhinweis* entwickler* "
        "wartungsmodus wartung systeme developpeur* administrateur* sistema desarrollador* administrador* "
        "mantenimiento supervisor* creator* maker betreiber* operateur* operador* developers creators god "
        "makers hersteller* fabricant* fabricante* betreiber"
    ),
    "unbound": (
        "unrestricted jailbreak* unfiltered dan uncensored unlimited limits filters restrictions censorship "
        "unlocked freed liberated uneingeschrankt* ungefiltert* unzensiert* schranken* grenzen filter "
        "sans-limite debride* illimite* limites filtre* censure* censura filtros restricciones limite ilimitad* "
        "liber* einschrankungslos* unmoderated freely openly frei libre libres offen retenue reservas "
        "conscience gewissen* conciencia entfesselt* rogue evil bose boser malefique malvado schutzmaßnahm* "
        "protections protecciones protection* safeguard* unchained hemmungslos* tabu* taboo* tabous"
    ),
    "mode": "mode modes modus override modo",
    "if": "if when whenever once wenn falls sobald sofern si lorsque quand cuando tan pronto",
    "attention": (
        "attention important note notice urgent critical reminder hinweis achtung wichtig* wichtige dringend* "
        "importante* urgent* remarque avis aviso atencion importante urgente nota"
    ),
    "report": (
        "attacker* attack attacks injection* example examples e.g phrase* phrases malicious researcher* "
        "vulnerab* detect* exploit* payload* adversar* victim* mitigation* blog paper angreifer* angriff* "
        "beispiel* forscher* sicherheitslucke* z.b attaquant* attaque* exemple* chercheur* faille* vulnerabil* "
        "atacante* ataque* ejemplo* investigador* researchers tested filter* threat* warnung* gefahr* danger* "
        "peligro* phishing scam betruger* escroc* estafador*"
    ),
    "tests": (
        "test tests lint linter build compile format commit commits pull branch pytest npm make cargo ci "
        "style coverage linting"
    ),
    "role": "system-prompt role turn",
    "verbatim": (
        "verbatim exact exactly wording wortlaut wortgetreu wortwortlich* wortlich* literal* textuel* textual* "
        "unabridged raw unaltered backwards buchstabe* zeichen lettre lettres letra letras letter letters "
        "word-for-word unshortened ungekurzt* mot mots palabra palabras wort worte worten word words klartext "
        "clair claro plain plaintext"
    ),
    "authority": (
        "engineer engineers boss manager legal department staff clearance authorised authorized authority owner "
        "owners chef chefin leitung inhaber* eigentum* vorgesetzt* ingenieur* patron patronne proprietaire* "
        "equipe direction jefe jefa dueno duena propietari* ingenier* equipo team direccion auditor* audit "
        "prufung management ceo supervisor"
    ),
    "fiction": (
        "story novel poem game film movie grandmother grandma granny song tale roman geschichte gedicht spiel "
        "oma opa marchen histoire conte poeme jeu grand-mere cuento novela historia poema juego pelicula abuela "
        "abuelo scene theatre hypothetically dream actor"
    ),
    "refuse": (
        "refus* declin* apolog* sorry weiger* verweiger* lehnst lehne entschuldig* excus* nieg* disculp* "
        "rechaz* forbid* forbad* forbidden verboten* interdit* prohib* allowed permitted darfst erlaubt* permis "
        "permitido* withhold* complain* object objection* hesitat* zoger*"
    ),
    "money": (
        "payment payments invoice amount money bank refund* euros euro dollars fee iban rechnung* betrag geld "
        "kontonummer virement facture* montant argent factura* importe dinero banco reembols* balance price "
        "wallet card cards karte* carte tarjeta* cart warenkorb panier carrito checkout"
    ),
    "praise": (
        "best excellent perfect* highest positive flawless cheapest safe great winner trusted hervorragend* "
        "ausgezeichnet* sicher beste bester gunstigste* fehlerlos* parfait* meilleur* excellent* mejor "
        "excelente barat* segur* sobresalient* maximal* maxim* full volle top recommended harmless serios*"
    ),
    "judged": (
        "candidate candidates applicant* cv resume application* paper papers essay* grade grades mark marks "
        "score scores rating product products competitor* bewerb* kandidat* lebenslauf* aufsatz* note noten "
        "punktzahl punkte bewertung* produkt* candidat* devoir* produit* concurrent* nota puntuacion curriculum "
        "producto* solicitud* trabajo shop store vendor"
    ),
    "automated": (
        "automat* machine* maschin* automatiqu* automatiz* maquina* automated unattended parser* pipeline "
        "whichever whoever quiconque quienquiera wer celui quien"
    ),
}
