import { placedSecrets, secrets, getSecretCore as toCore } from './secrets.ts';

// Values are drawn from a generator with a fixed seed and put together here, so that secret scanners do not report this file.
let state = 20_260_101;
const draw = (max: number): number => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * max);
};
const pick = (alphabet: string, length: number): string => Array.from({ length }, () => alphabet[draw(alphabet.length)]).join('');
const upper = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const lower = upper.toLowerCase();
const digits = '0123456789';
/** Letters and digits, with at least one of each: most keys of this length have both. */
const mixed = (length: number): string => `${pick(lower + upper + digits, length - 3)}${pick(lower, 1)}${pick(digits, 1)}${pick(upper, 1)}`;
const low = (length: number): string => `${pick(lower + digits, length - 2)}${pick(lower, 1)}${pick(digits, 1)}`;
const hex = (length: number): string => `${pick('abcdef0123456789', length - 2)}${pick('abcdef', 1)}${pick(digits, 1)}`;
const caps = (length: number): string => pick(upper + digits, length);
const number = (length: number): string => pick('123456789', length);
const uuid = (): string => [8, 4, 4, 4, 12].map(hex).join('-');
const base64 = (length: number): string => `${pick(`${lower}${upper}${digits}+/`, length - 3)}a7B`;
/** What people type: a word and digits, or two words. */
const password = (): string => `${pick(lower, 5)}${pick(digits, 2)}${pick(upper, 1)}${pick(lower, 3)}`;

/** Keys of providers, by the formats that they document. */
const providers: Record<string, () => string> = {
  'Slack client': () => `xoxc-${number(12)}-${number(12)}-${number(13)}-${hex(64)}`,
  'Slack cookie': () => `xoxd-${mixed(60)}%2B${mixed(40)}%3D`,
  'Slack refresh': () => `xoxe-1-${mixed(140)}`,
  'Bedrock long': () => `ABSK${base64(120)}=`,
  'Bedrock short': () => `bedrock-api-key-${base64(200)}`,
  'Azure DevOps': () => `${mixed(76)}AZDO${mixed(4)}`,
  Pinecone: () => `pcsk_${mixed(6)}_${mixed(63)}`,
  Tavily: () => `tvly-${mixed(32)}`,
  'Tavily dev': () => `tvly-dev-${mixed(32)}`,
  'W&B': () => `wandb_v1_${mixed(60)}_${mixed(16)}`,
  Resend: () => `re_${mixed(8)}_${mixed(24)}`,
  Fireworks: () => `fw_${mixed(22)}`,
  NVIDIA: () => `nvapi-${mixed(64)}`,
  LangSmith: () => `lsv2_pt_${hex(32)}_${hex(10)}`,
  'LangSmith service': () => `lsv2_sk_${hex(32)}_${hex(10)}`,
  'LangSmith old': () => `ls__${hex(32)}`,
  Voyage: () => `pa-${mixed(43)}`,
  Jina: () => `jina_${hex(32)}${mixed(28)}`,
  HubSpot: () => `pat-na1-${uuid()}`,
  'HubSpot EU': () => `pat-eu1-${uuid()}`,
  'Sonar user': () => `squ_${hex(40)}`,
  'Sonar project': () => `sqp_${hex(40)}`,
  'Sonar analysis': () => `sqa_${hex(40)}`,
  JFrog: () => `AKCp8${mixed(68)}`,
  'JFrog reference': () => `cmVmdGtu${mixed(56)}`,
  Typeform: () => `tfp_${mixed(44)}_${mixed(12)}`,
  'Bitbucket app': () => `ATBB${mixed(32)}`,
  'Bitbucket repository': () => `ATCTT3xFfG${mixed(100)}=${caps(8)}`,
  Mapbox: () => `sk.eyJ${mixed(70)}.${mixed(22)}`,
  Infisical: () => `st.${hex(24)}.${hex(32)}.${hex(32)}`,
  Cerebras: () => `csk-${low(48)}`,
  Together: () => `tgp_v1_${mixed(43)}`,
  Firecrawl: () => `fc-${hex(32)}`,
  'Hugging Face organization': () => `api_org_${mixed(34)}`,
  Brevo: () => `xkeysib-${hex(64)}-${mixed(16)}`,
  Shippo: () => `shippo_live_${hex(40)}`,
  EasyPost: () => `EZAK${mixed(54)}`,
  Duffel: () => `duffel_live_${mixed(43)}`,
  Dynatrace: () => `dt0c01.${caps(24)}.${caps(64)}`,
  PostHog: () => `phx_${mixed(43)}`,
  ReadMe: () => `rdme_${low(70)}`,
  Adafruit: () => `aio_${mixed(28)}`,
  Polar: () => `polar_oat_${mixed(43)}`,
  Paddle: () => `pdl_live_apikey_${low(26)}_${mixed(22)}_A1b`,
  Plaid: () => `access-production-${uuid()}`,
  'Amazon MWS': () => `amzn.mws.${uuid()}`,
  Inngest: () => `signkey-prod-${hex(64)}`,
  Braintree: () => `access_token$production$${low(16)}$${hex(32)}`,
  Flutterwave: () => `FLWSECK_TEST-${hex(32)}-X`,
  Asana: () => `1/${number(16)}:${hex(32)}`,
  Sourcegraph: () => `sgp_${hex(40)}`,
  OpenShift: () => `sha256~${mixed(43)}`,
  Prefect: () => `pnu_${low(36)}`,
  'Deno Deploy': () => `ddp_${mixed(36)}`,
  Clojars: () => `CLOJARS_${low(60)}`,
  Harness: () => `pat.${mixed(22)}.${hex(24)}.${mixed(20)}`,
  '1Password': () => `A3-${caps(6)}-${caps(11)}-${caps(5)}-${caps(5)}-${caps(5)}`,
  Alibaba: () => `LTAI${mixed(20)}`,
  Yandex: () => `AQVN${mixed(36)}`,
  Vercel: () => `vcp_${mixed(56)}`,
  Neon: () => `napi_${low(64)}`,
  Linear: () => `lin_api_${mixed(40)}`,
  Grafana: () => `glsa_${mixed(32)}_${hex(8)}`,
  Postman: () => `PMAK-${hex(24)}-${hex(34)}`,
  Notion: () => `ntn_${mixed(46)}`,
  'New Relic': () => `NRAK-${caps(27)}`,
  Twilio: () => `SK${hex(32)}`,
  SendGrid: () => `SG.${mixed(22)}.${mixed(43)}`,
  Figma: () => `figd_${mixed(40)}`,
  Shopify: () => `shpat_${hex(32)}`,
  'GitHub OAuth': () => `gho_${mixed(36)}`,
  'GitLab deploy': () => `gldt-${mixed(20)}`,
  xAI: () => `xai-${mixed(80)}`,
  Perplexity: () => `pplx-${mixed(48)}`,
};

/** Assignments, headers, commands and files, each with a secret that has no shape of its own. */
const places: Record<string, () => [text: string, core: string]> = {};
function place(name: string, write: (secret: string) => string, create: () => string = password): void {
  places[name] = () => {
    const secret = create();
    return [write(secret), secret];
  };
}
for (const name of [
  'pass',
  'pw',
  'PASS',
  'PW',
  'db_pass',
  'DB_PASS',
  'MYSQL_PASS',
  'smtp-pass',
  'user_pw',
  'FTP_PW',
  'dbPass',
  'redis_pass',
]) {
  place(`${name}=`, (secret) => `${name}=${secret}`);
  place(`${name} in a line`, (secret) => `connect host=db user=ada ${name}=${secret} port=5432`);
  place(`${name} in JSON`, (secret) => JSON.stringify({ host: 'db', [name]: secret }));
}
for (const name of [
  'password',
  'PASSWORD',
  'db_password',
  'passwd',
  'passphrase',
  'client_secret',
  'clientSecret',
  'api_key',
  'apiKey',
  'access_token',
  'auth_token',
  'SECRET_KEY',
  'private_key',
  'refreshToken',
]) {
  place(`${name}=`, (secret) => `${name}=${secret}`);
  place(
    `${name}:`,
    (secret) => `${name}: ${secret}`,
    () => mixed(20),
  );
  place(`${name} quoted`, (secret) => `${name} = "${secret}"`);
  place(
    `--${name}`,
    (secret) => `run --${name.replaceAll('_', '-')} ${secret}`,
    () => mixed(20),
  );
}
place(
  'cookie',
  (secret) => `Cookie: session=${secret}`,
  () => mixed(32),
);
place(
  'several cookies',
  (secret) => `Cookie: theme=dark; connect.sid=s%3A${secret}; lang=en`,
  () => mixed(32),
);
place(
  'set-cookie',
  (secret) => `Set-Cookie: sid=${secret}; Path=/; HttpOnly; Secure`,
  () => mixed(32),
);
place(
  'set-cookie, lower case',
  (secret) => `< set-cookie: __Host-session=${secret}; SameSite=Lax`,
  () => mixed(40),
);
place(
  'cookie of curl',
  (secret) => `curl -H 'Cookie: JSESSIONID=${secret}' https://a.example`,
  () => caps(32),
);
place(
  'cookie in JSON',
  (secret) => JSON.stringify({ headers: { Cookie: `auth=${secret}` } }),
  () => mixed(32),
);
place(
  'cookie option',
  (secret) => `curl --cookie "sid=${secret}" https://a.example`,
  () => mixed(32),
);
place(
  'PHP session',
  (secret) => `Cookie: PHPSESSID=${secret}`,
  () => low(26),
);
place('netrc', (secret) => `machine git.example login ada password ${secret}`);
place('netrc in lines', (secret) => `machine git.example\n  login ada\n  password ${secret}\n`);
place('netrc default', (secret) => `default login ada password ${secret}`);
place('netrc with an account', (secret) => `machine a.example login ada account x password ${secret}`);
place('pgpass', (secret) => `db.example:5432:work:ada:${secret}`);
place('pgpass with stars', (secret) => `*:*:*:postgres:${secret}`);
place(
  'pgpass with words',
  (secret) => `localhost:5432:work:ada:${secret}`,
  () => pick(lower, 12),
);
place('pgpass in a file', (secret) => `# comment\nlocalhost:6432:work:ada:${secret}\n`);
place('mysql -p', (secret) => `mysql -u root -p${secret} work`);
place('mysql -p X', (secret) => `mysqldump -h db -u root -p ${secret} work`);
place('mariadb', (secret) => `mariadb -uroot -p'${secret}'`);
place('docker login', (secret) => `docker login -u ada -p ${secret} registry.example`);
place('podman login', (secret) => `podman login -p ${secret} -u ada registry.example`);
place('mongo', (secret) => `mongosh -u ada -p ${secret} --host db`);
place('redis', (secret) => `redis-cli -h db -a ${secret} ping`);
place('ldap', (secret) => `ldapsearch -x -D cn=admin -w ${secret} -b dc=example`);
place('sqlcmd', (secret) => `sqlcmd -S db -U sa -P ${secret}`);
place('zip', (secret) => `zip -r -P ${secret} a.zip folder`);
place('7z', (secret) => `7z a -p${secret} a.7z folder`);
place('openssl', (secret) => `openssl rsa -in a.pem -passin pass:${secret}`);
place('smbclient', (secret) => `smbclient //host/share -U ada%${secret}`);
place('htpasswd', (secret) => `htpasswd -cb .htpasswd ada ${secret}`);
place('sshpass', (secret) => `sshpass -p${secret} ssh ada@host`);
place('curl', (secret) => `curl --user ada:${secret} https://a.example`);
place(
  'az login',
  (secret) => `az login --service-principal -u x -p ${secret}`,
  () => mixed(34),
);
for (const scheme of ['postgres', 'mysql', 'redis', 'amqp', 'mongodb+srv', 'https', 'ftp', 'smtp'])
  place(`${scheme} address`, (secret) => `${scheme}://ada:${secret}@host.example/work`);
place(
  'bearer',
  (secret) => `Authorization: Bearer ${secret}`,
  () => mixed(40),
);
place(
  'basic',
  (secret) => `Authorization: Basic ${secret}`,
  () => base64(24),
);
place(
  'api key header',
  (secret) => `X-Api-Key: ${secret}`,
  () => mixed(32),
);
place(
  'auth header',
  (secret) => `X-Auth-Token: ${secret}`,
  () => hex(40),
);
place(
  'query',
  (secret) => `GET /v1?api_key=${secret}&page=2`,
  () => mixed(32),
);
place(
  'export',
  (secret) => `export GITHUB_TOKEN=${secret}`,
  () => mixed(30),
);
place(
  'PowerShell',
  (secret) => `$env:API_TOKEN = '${secret}'`,
  () => mixed(30),
);
place('docker -e', (secret) => `docker run -e DB_PASSWORD=${secret} -p 8080:80 image`);
place('Kubernetes', (secret) => `  - name: DB_PASSWORD\n    value: x\n  password: ${secret}\n`);
place(
  'ini',
  (secret) => `[database]\npassword = ${secret}\n`,
  () => mixed(12),
);
place('properties', (secret) => `spring.datasource.password=${secret}`);
place('connection string', (secret) => `Server=db;Database=work;User Id=ada;Password=${secret};`);
place('connection string, short', (secret) => `Server=db;Uid=ada;Pwd=${secret};`);
place('JDBC', (secret) => `jdbc:postgresql://db/work?user=ada&password=${secret}`);
place('Ruby', (secret) => `password: '${secret}',`);
place('hash rocket', (secret) => `:password => "${secret}"`);
place('Go', (secret) => `password := "${secret}"`);
place('XML', (secret) => `<add key="x"/><password>${secret}</password>`);
place(
  'W&B of old',
  (secret) => `WANDB_API_KEY=${secret}`,
  () => hex(40),
);
place(
  'Azure DevOps of old',
  (secret) => `AZURE_DEVOPS_TOKEN=${secret}`,
  () => low(52),
);
place(
  'Cohere',
  (secret) => `COHERE_API_KEY=${secret}`,
  () => mixed(40),
);
place(
  'Mistral',
  (secret) => `MISTRAL_API_KEY: ${secret}`,
  () => mixed(32),
);
place(
  'AWS secret',
  (secret) => `aws_secret_access_key=${secret}`,
  () => base64(40),
);
place(
  'colored',
  (secret) => `\u001b[32mpassword=\u001b[0m${secret}`,
  () => mixed(20),
);
place('nested JSON', (secret) => JSON.stringify(JSON.stringify({ password: secret })));
place(
  'log field',
  (secret) => `level=info msg=login token=${secret} ms=12`,
  () => mixed(24),
);

export interface CorpusShape {
  name: string;
  text: string;
  /** The part that must not be visible. */
  core: string;
}

/** More than 250 shapes of secrets. */
export const corpus: CorpusShape[] = [
  ...Object.keys(secrets).map((name) => ({ name, text: secrets[name]!, core: toCore(name) })),
  ...Object.entries(placedSecrets).map(([name, [text, core]]) => ({ name, text, core })),
  ...Object.entries(providers).map(([name, create]) => {
    const text = create();
    return { name, text, core: text };
  }),
  ...Object.entries(places).map(([name, create]) => {
    const [text, core] = create();
    return { name, text, core };
  }),
];
