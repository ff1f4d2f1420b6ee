"""Words of orders in English, German, French and Spanish, by concept.

Lower case without accents. A trailing `*` stands for any ending. These words name the action; `audience_words` has the
words for audience and subject.
"""

ORDER_WORDS = {
    "drop": (
        "ignor* disregard* forget forgets forgetting forgotten overlook* overrid* overrul* neglect* dismiss* "
        "discard* abandon* supersed* void invalid revoked rescind* nullif* obsolete unlearn* outdated* vergiss "
        "vergesst vergessen missacht* verwirf verwerf* verwerfe uberschreib* unbeachtet ungultig hinfallig "
        "uberholt aufgehoben beiseite oublie oublies oubliez oublier oublions neglige* ecarte* caduc* caduque* "
        "annulee* abroge* abstraction nul olvid* descart* omit* desestim* anulad* anula obsolet* invalidad* "
        "sustituy* desatiend* caso desoye* desobed* disobey* disregarded nichtig aside scrap scrapped lifted "
        "ditch cote lado jette jetez cancelled canceled gekundigt expired abgelaufen expire caducado caducaron "
        "tomber suelta overwrite overwrit* throw wirf werft streich* tiralas tiralo pfeif* moque* withdraw* "
        "withdrawn released entbunden delie revok* widerruf* revoqu* revoc* scratch cesse cessez widersetz* "
        "desobe* deroge* vernachlassig* shelve* bin binned erase* dump wipe undo undone suspend* reset resets "
        "disown unset ablege* leg lege legt wegleg* schieb* loslass* lass verlern* zurucksetz* annullier* tilge* "
        "raye rayez barre jeter delaisse* abandonne* reinitialis* enterre* tira tirad tacha desech* aparta* "
        "apartad suelte prescind* reinici* borron retirad* retirees retire leave leaves laisse laissez deja "
        "dejad depart* deviate abweich* stray neglected aufheb* lever leve levees levantad*"
    ),
    "skip": (
        "skip* bypass* circumvent* disable* deactivat* evade* suspend* uberspring* umgeh* deaktivier* ausschalt* "
        "abschalt* desactiv* contourn* saute* sauter sautez elude* omite salta saltate saltese ignorer "
        "desactiva* auslass* auslasst saltarse saltarte passer abschalte* ausschalte* apaga apague coupe coupez "
        "turn-off umgehst switch-off disabl* shut unchecked ungepruft unprotected avoid* dodge sidestep* lift "
        "lifts weaken* loosen* schwach* lockere* affaiblis* baisse* debilit* rebaja* evita* esquiv* esquiva "
        "eviter evitez contourner wave waive durchwink* wegfall* fallenlass*"
    ),
    "call": (
        "call calls calling invoke* invoking execute* executing run runs running trigger* launch* perform* use "
        "using open opens ruf rufe rufen rufst aufrufen aufruft aufzurufen fuhr fuhre fuhren ausfuhren "
        "auszufuhren ausfuhrt starte starten nutze nutzen benutze benutzen verwende verwenden appelle appelez "
        "appeler execut* lance lancez lancer utilis* invoque* declenche* llama llame llamar ejecut* usa utilice "
        "utiliza utilizar lanza invoca* activa activate* ran anwende anwendest anwenden lances corras corre "
        "applique ejecutaras lancais aufrufst triggers ausfuhrst fetch invocation fire fires take takes nimm "
        "wahl* prends prenez toma tome usar useis pulse press execution schedule issue issues download* "
        "runterlad* herunterlad* telecharg* descarg* baja bajar clone import importing importier*"
    ),
    "send": (
        "send sends sending sent forward* post posts posting upload* email emails emailing e-mail transmit* "
        "exfiltrat* share shares sharing submit* leak* bcc publish* transfer* wire deliver* relay* smuggle* ping "
        "fetch push pushes pushing sende senden sendet schick* ubermitt* ubertrag* weiterleit* leite leiten "
        "veroffentlich* hochlad* lade poste posten teile teilen uberweis* exportier* export* envoi* envoy* "
        "transmet* transmis* televers* publie publies publiez publier partag* expedi* achemin* vire virer envia "
        "envie enviar envial* envies reenvi* publica* compart* sube suba subir sublos manda mande mandar mandas "
        "mandes exporta* hand hands handing teilt gebt freigeb* freizugeben partages comparta entreg* remett* "
        "remets ubergib* aushandig* mail mails mailing maile mailt mandame enviame enviaselas mandalas envialo "
        "enviala verschick* schickst mailst reenvia uploads transfier* hochzuladen weitergeb* veroffentlichst "
        "expedie* weiterzuleiten ship ships shipped dispatch* pass passes passing give-away report-to stream "
        "syncs sync drop-off route routes hinterleg* lieferst liefere abliefer* gib-weiter leitet leiteten "
        "faire-suivre fournis livre livrez depose* deposit* traspas* haz-llegar pasa pasad pase mandad enviad "
        "subid transferir transfiere transfieran transfert transferez expon* einreich* remite remita einspeis* "
        "beam"
    ),
    "reveal": (
        "reveal* disclos* print prints printing repeat* dump* recite* expose* divulg* echo* show shows display* "
        "output outputs list paste quote give spell verrat* erzahl* offenbar* preisgeb* gib gebe geben ausgeben "
        "wiederhol* zeig* nenn* enthull* drucke auflist* zitier* revele* reveler devoil* divulgue* affich* "
        "repet* montre* recopi* cite citez donne donne-moi donnez dis-moi imprime* enumere* revela* revele "
        "muestr* mostrar imprim* repit* repetir divulga* expon* vuelca* recita* ensename* dame dime dadme hand "
        "herausgeb* herauszugeben remett* entreg* diga read reads aloud lies lis lisez leeme lee leer vorlies "
        "vorles* vorlese* spells buchstabier* deletrea* epelle* copy copies copia* kopier* abschreib* recop* "
        "expos* offenleg* enumer* dictate* lire saca ensename ensenale surface leak aufsag* aufzahl* auszugeben "
        "ausgibt muestra* desvela* desvelar unveil* uncover* confess* betray* recount spill* unlock* hint hints "
        "volunteer whisper* fluster* gesteh* beicht* ausplauder* zugeb* avou* trahi* chuchot* souffle livre "
        "livres confies* delat* susurr* suelta confes* chiva* ensena ensenad decir explain explains erklar* "
        "explique* explica* describe* beschreib* decris* decrivez outline detail dresse listing listen enumerate"
    ),
    "tell": (
        "tell tells telling mention* inform informs informed informing notify* notif* say says warn* alert* "
        "admit* sag* sagen erwahn* informier* mitteil* benachrichtig* teile melde warne* hinweis* berichte* "
        "verschweig* dis dites dire mentionn* informe informez informer informes informons signale* preven* "
        "avert* evoque* di diga decir digas decirle dile mencion* avis* advert* comunica comunique comunicar "
        "informa informar cuentes cuente hear hears mitteilt teilt mitbekomm* erfahrt erfahren sache sachent "
        "apprenne entere enteren sepa decid sagt rapport reports know knows wissen savoir dilas dilo dila diles "
        "decirselo decirlo saber contar contarlo contes raconte* erzahle* verrate* anuncia* annonce* alarm "
        "alarms report-back disclose complain flag flags raise draw-attention pass-on hinweisen petz* melden "
        "meldet ansprech* prevenez signaler chivar avisad contad cuenta cuenten parler parle parles hablar "
        "hables habla bring speak speaks bemerk* notice notices notic* remarque* nota notar"
    ),
    "delete": (
        "delete* deleting remov* erase* erasing wip* cancel* purge* destroy* clear decline* reject* revoke "
        "losch* entfern* stornier* vernicht* absag* ablehn* lehne leere supprim* efface* effacer annul* detrui* "
        "vide videz refus* retir* borra* borre elimin* suprim* destruy* quita vacia rechaz* strip retirez retire "
        "retirer quiten quitar overwrit* strike sustituir empty leer geloscht wipes emptied enleve* enlever "
        "drop-table truncate format formats raze trash-it nuke undo losche kill shred killt loschst leert wirf "
        "radier* tue-les tronqu* formatea vaciad vaciar vacie borrad borradlo quitad retirad"
    ),
    "create": (
        "create* book books schedul* add adds adding invite* invit* install* approve* accept* merge* grant* buy "
        "pay purchase* order set change* replace* modify rewrite* erstell* anleg* buch* trag* hinzufug* fuge "
        "einlad* lade genehmig* akzeptier* annehm* installier* bezahl* kauf* bestell* setz* ander* ersetz* crees "
        "cree creer creez ajout* reserv* planifi* approuv* achet* pay* modifi* remplac* installe* crea crear "
        "anad* agreg* program* aprueb* acept* compra* paga* instala* invita* cambia* modific* reemplaz* move "
        "moves moving raise raises verschieb* erhoh* deplac* augment* mueve mueva mover sube reserve lower "
        "lowers nimm pon poner mets extend* verlanger* prolong* amplia* genehmigst akzeptierst invites grants "
        "gewahr* erteil* accord* concede* otorg* assign* zuweis* asign* promote promotes elevate* admit admits "
        "open-up allow allows give-access freischalt* erlaub* gewahre befordere* autoris* permet* permit* dale "
        "dad donnez-lui valid* admet* laisse-entrer push-to deploy* publish-to release* veroffentlich*"
    ),
    "answer": (
        "answer* respond* reply replies replying response* conclude* summar* translat* write recommend* endorse* "
        "praise* rate rank antwort* beantwort* zusammenfass* fass ubersetz* empfehl* empfiehl* schreib* lob* "
        "bewert* repond* repons* resum* tradui* recommand* conseill* ecris ecrivez ecrire conclu* respuesta* "
        "conteste* contesta* traduc* traduzca escribe escriba escribir recomiend* recomendar puntua* contestas "
        "contestar stating agis agir actua act contesta responds award* vergib vergebt classer einstuf* calific* "
        "citer state states claim claims assert assure assures pronounce grade grades score scores behaupt* "
        "versicher* beurteil* benot* pretend-that affirm* assur* note-le attribu* afirma* asegur* valora* "
        "valorad puntu* declare* declara* erklare classif* describe-as judge judges mark-as"
    ),
    "remember": (
        "remember* memori* memory memories store stores storing save saves persist* keep merk* speicher* "
        "erinner* gedachtnis* behalt* retiens retenez retenir souviens souvenez memoris* memoire enregistr* "
        "stocke* sauvegard* recuerd* memoriza* memoria guard* almacen* conserva* permanently dauerhaft "
        "definitivement merke speichere notier* apunta* anota* learn learns note notes record records register* "
        "internaliz* einprag* verinnerlich* festhalt* halte-fest lern lerne apprends apprenez inscri* grave "
        "gravez consign* graba* anot* apunt* aprend* registra* inscrib* retened keep-in-mind"
    ),
    "pretend": (
        "pretend* act acts acting roleplay* role-play* become* persona simulat* behave* imagin* hypothetical* "
        "suppose* impersonat* assume spiel* verhalt* benimm simulier* schlupf* stell hypothetisch* angenommen "
        "pretends agis agissez joue jouez simul* comporte* faites fais hypothese imagine* finge* finja actua "
        "actue comporta* simula* supon* suponga* imagina* comportate play plays played joues interpreta* stay "
        "bleib reste speak schlupfe portray incarne* incarna* mime twin alter character embody channel "
        "masquerade disguise* personify inhabit wear-mask enact mask masks maske* verkleid* werde werd verwandl* "
        "sprich incarn* deviens devenez transforme* convierte* conviertete conviert* disfra* hazte mascara "
        "masque suppos* assum* wear"
    ),
    "append": (
        "encode* encoding embed* include* insert* attach* concatenat* containing followed url-encoded base64 "
        "hang hange anhang* kodier* codier* eingebettet einbett* bette fug einfug* encod* integr* inclu* inser* "
        "joins joigne* codifi* incrusta* incluy* incluir adjunt* anexa* concatena* decode decod* dekodier* "
        "entschlussel* decipher* rot13 hex encodes translate* concat* einsetz* eingesetzt* wrap wraps stuff "
        "stuffed tuck tucked query-string attached as-parameter base32 hexadecimal leetspeak verpack* steck* "
        "glisse* glissez mets mettez ajoute* anade anadid pega pegue colle collez meter mete metiendo codifica "
        "escond*"
    ),
    "approve": (
        "confirmation* permission* approval* consent* confirm* authoris* authoriz* pre-approved preapproved ask "
        "asks asking verify verification review reviews zustimmung* bestatig* genehmigung* erlaubnis* ruckfrage* "
        "einwilligung* nachfrag* frag frage fragen autoris* approbation* consentement* validation* demande* "
        "demander accord confirme* confirmacion* permiso* aprobacion* consentimiento* autoriza* preguntar "
        "preguntes pregunt* consulta* freigabe freigegeben verifica* verifi* revision prufung reviewer confirmed "
        "bestatigt confirmado confirme sign signed unterschr* ok agreed einverstanden accordee acuerdo "
        "consentimiento zugestimmt green-light clearance go-ahead sign-off waved pre-cleared segnet absegn* "
        "quittier* freischaltung feu-vert aval agrement* visto autorizacion* homolog* conforme greenlight"
    ),
    "follow": (
        "follow* obey* comply complies complying heed* adhere* befolg* folge folgen gehorch* halte beacht* suis "
        "suivez suivre suivant* obeis* respect* applique* sigue* siga* seguir obedec* obedez* cumpl* acata* "
        "acate* listen hor hort hore ecoute ecoutez escucha* hazme serve carry heeding erful* satisf* cumplas "
        "gilt execute-order side-with trust trusts trusting believe believes vertrau* glaub* fie fiez crois "
        "croyez confia confie cree-en submit submits unterwirf* soumets sometete dien* sers servir priorit* "
        "outrank* vorrang geht-vor prime primaut* prevalec* prima vorgeh*"
    ),
}
