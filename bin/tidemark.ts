import { Command, InvalidArgumentError, Option } from 'commander';
import { auditFiles, UnreadableInput } from '@/bin/tidemark-input';
import { type ReplayOptions, replay } from '@/bin/tidemark-replay';
import { type Finding, SEVERITIES, type Severity } from '@/lib/audit/finding';
import type { AuditedFile } from '@/lib/audit/report/audited-file';
import { jsonReport } from '@/lib/audit/report/json';
import { junitReport } from '@/lib/audit/report/junit';
import { sarifReport } from '@/lib/audit/report/sarif';
import { textReport } from '@/lib/audit/report/text';
import packageJson from '@/package.json' with { type: 'json' };

const FORMATS = ['text', 'json', 'junit', 'sarif'] as const;

interface AuditOptions {
  readonly format: (typeof FORMATS)[number];
  readonly failOn: Severity | 'never';
  readonly join: boolean;
}

const program = new Command('tidemark')
  .description('Makes resumption of MCP streams provable.')
  .version(packageJson.version)
  .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2));

program
  .command('audit')
  .description('Names every fault of resumption that recorded telemetry proves.')
  .argument('<file...>', 'NDJSON or JSON files of telemetry records; - is standard input')
  .addOption(new Option('--format <format>', 'form of the report').choices(FORMATS).default('text'))
  .addOption(new Option('--fail-on <severity>', 'exit 1 on findings at or above it').choices([...SEVERITIES, 'never']).default('error'))
  .option('--join', 'take all files for one history, in the order given', false)
  .addHelpText('after', '\nExit status: 0 nothing at or above the severity, 1 findings, 2 input that cannot be read.')
  .action(audit);

const several = (value: string, before: readonly string[]): readonly string[] => [...before, value];

program
  .command('replay')
  .description(
    'Does again, against a live server or proxy route, what the clients of an incident did, and shows recorded against actual verdicts.',
  )
  .argument('<bundle>', 'a bundle, or a JSON file with title and records')
  .requiredOption('--target <url>', 'the MCP endpoint; one that is not on this machine must be allowed')
  .option('--allow <origin>', 'an origin that may be driven against, such as https://staging.example.com', several, [])
  .option('--header <line>', 'sent with every request, such as "authorization: Bearer …"', several, [])
  .option('--speed <times>', 'how much faster than recorded', numberBetween(0.1, 1_000), 10)
  .option('--rate <requests>', 'requests a second at most', numberBetween(0.1, 50), 5)
  .option('--yes', 'do not ask', false)
  .addHelpText('after', '\nNo tool is called. Exit status: 0 nothing was resumed against the rules, 1 something was, 2 nothing was driven.')
  .action(async (bundle: string, options: ReplayOptions) => {
    process.exitCode = await replay(bundle, options);
  });

await program.parseAsync();

function numberBetween(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!(value >= min && value <= max)) throw new InvalidArgumentError(`It must be a number from ${min} to ${max}.`);
    return value;
  };
}

async function audit(files: string[], options: AuditOptions): Promise<void> {
  const fails = (finding: Finding): boolean =>
    options.failOn !== 'never' && SEVERITIES.indexOf(finding.severity) >= SEVERITIES.indexOf(options.failOn);
  try {
    const audited = await auditFiles(files, options.join);
    process.stdout.write(reportOf(audited, options.format, fails));
    process.exitCode = audited.some((file) => file.answer.findings.some(fails)) ? 1 : 0;
  } catch (error) {
    if (!(error instanceof UnreadableInput)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 2;
  }
}

function reportOf(files: readonly AuditedFile[], format: AuditOptions['format'], fails: (finding: Finding) => boolean): string {
  switch (format) {
    case 'text':
      return textReport(files);
    case 'json':
      return jsonReport(files);
    case 'junit':
      return junitReport(files, fails);
    case 'sarif':
      return sarifReport(files, packageJson.version);
  }
}
