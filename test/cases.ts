/** An area of the case bank: its cases by id, and those that have no test, with the reason. */
export interface CaseArea {
  readonly area: string;
  readonly ids: readonly string[];
  /** Why none of its cases needs a test yet. */
  readonly later?: string;
  readonly judgedWrong?: Readonly<Record<string, string>>;
  readonly notApplicable?: Readonly<Record<string, string>>;
}

/**
 * What Decorum is to be proved on: situations from public bug reports, each a kind that has siblings. The tests that prove a case
 * name its id in square brackets; `npm run cases` prints what came of that.
 */
export const CASES: readonly CaseArea[] = [
  {
    area: 'robots',
    ids: words(
      'ROB02 ROB03 ROB04 ROB05 ROB07 ROB08 ROB13 ROB14 ROB16 ROB18 ROB20 ROB22 ROB23 ROB24 ROB25',
    ),
  },
  {
    area: 'robots files',
    ids: [
      ...words(
        'RB001 RB002 RB004 RB005 RB007 RB009 RB010 RB012 RB013 RB015 RB017 RB018 RB020 RB021 RB023',
      ),
      ...words(
        'RB025 RB026 RB028 RB029 RB031 RB033 RB034 RB036 RB037 RB039 RB041 RB042 RB044 RB045 RB047',
      ),
      ...words(
        'RB049 RB050 RB052 RB053 RB055 RB057 RB058 RB060 RB061 RB063 RB065 RB066 RB068 RB069 RB071',
      ),
      ...words(
        'RB073 RB074 RB076 RB077 RB079 RB081 RB082 RB084 RB085 RB087 RB089 RB090 RB092 RB093 RB095',
      ),
      ...words(
        'RB097 RB098 RB100 RB101 RB103 RB105 RB106 RB108 RB109 RB111 RB113 RB114 RB116 RB117 RB119',
      ),
      ...words(
        'RB121 RB122 RB124 RB125 RB127 RB129 RB130 RB132 RB133 RB135 RB137 RB138 RB140 RB141 RB143',
      ),
      ...words('RB145 RB146 RB148 RB149 RB151 RB153 RB154 RB156 RB157 RB159'),
    ],
  },
  {
    area: 'url',
    ids: [
      ...words(
        'URL02 URL03 URL04 URL06 URL08 URL09 URL10 URL11 URL12 URL13 URL14 URL16 URL18 URL20 URL22',
      ),
      ...words('URL23 URL25 URL28 URL30 URL32 URL33 URL34'),
    ],
  },
  {
    area: 'html-links',
    ids: [
      ...words(
        'LNK01 LNK02 LNK03 LNK04 LNK05 LNK08 LNK12 LNK14 LNK17 LNK19 LNK20 LNK21 LNK22 LNK23 LNK24',
      ),
      ...words('LNK26'),
    ],
  },
  {
    area: 'charset',
    ids: words('CHR02 CHR03 CHR04 CHR05 CHR07 CHR08 CHR11 CHR12 CHR13 CHR17 CHR18 CHR20'),
  },
  {
    area: 'http',
    ids: words('HTP01 HTP02 HTP04 HTP06 HTP07 HTP08 HTP09 HTP10 HTP12 HTP13 HTP18'),
  },
  {
    area: 'redirects',
    ids: words('RED02 RED04 RED05 RED09 RED10 RED11 RED12 RED13 RED15'),
  },
  {
    area: 'retry/429',
    ids: words('RTY02 RTY04 RTY05 RTY06 RTY09 RTY10 RTY11 RTY13 RTY14 RTY15'),
  },
  {
    area: 'compression',
    ids: words('CMP02 CMP04 CMP05 CMP06 CMP07 CMP08 CMP09 CMP10 CMP11'),
  },
  {
    area: 'size/timeouts',
    ids: words('SIZ01 SIZ02 SIZ05 SIZ08 SIZ09 SIZ10'),
  },
  {
    area: 'dns/tls',
    ids: words('DNS01 DNS04 DNS05 DNS06 DNS08'),
  },
  {
    area: 'dedup/trap',
    ids: words('DUP02 DUP05 DUP06 DUP08 DUP09 DUP10'),
    later: 'a later issue',
  },
  {
    area: 'recrawl/conditional',
    ids: words('REC01 REC02 REC05 REC08 REC09 REC10 REC11'),
    later: 'a later issue: crawls that go on',
  },
  {
    area: 'sitemaps',
    ids: words('MAP03 MAP04 MAP07 MAP08 MAP10 MAP11 MAP14 MAP16 MAP17 MAP18 MAP19 MAP20'),
  },
  {
    area: 'frontier/priority',
    ids: words('FRO01 FRO04 FRO06 FRO08 FRO09 FRO10'),
  },
  {
    area: 'durability/resume',
    ids: words('DUR02 DUR03 DUR07 DUR08 DUR10 DUR11 DUR12 DUR13 DUR14'),
  },
  {
    area: 'db',
    ids: words('DBS01 DBS02 DBS04 DBS07 DBS08 DBS09 DBS11 DBS12 DBS13'),
  },
  {
    area: 'security',
    notApplicable: {
      SEC12:
        'Decorum takes patterns from nobody: scopes are hosts and prefixes, robots rules are matched in linear time',
    },
    ids: words('SEC03 SEC04 SEC05 SEC06 SEC11 SEC12 SEC13 SEC14'),
  },
  {
    area: 'ops',
    ids: words('OPS04 OPS05 OPS06 OPS07 OPS08'),
  },
];

function words(text: string): readonly string[] {
  return text.split(' ');
}
