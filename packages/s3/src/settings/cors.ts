import type { CorsRule } from '@bucketware/core/dialect';
import type { CorsConfiguration } from '../xml/documents/cors-configuration.js';
import type { XmlChildren } from '../xml/write.js';

const listOf = (items: readonly string[]) => (items.length === 0 ? undefined : items);

/** Converts CORS rules of S3 to those of the storage. */
export const corsRulesOf = ({ CORSRule: rules }: CorsConfiguration): readonly CorsRule[] =>
  rules.map(({ ID: id, ...rule }) => {
    const allowedHeaders = listOf(rule.AllowedHeader);
    const allowedExposeHeaders = listOf(rule.ExposeHeader);
    return {
      ...(id && { ruleId: id }),
      allowedOrigins: rule.AllowedOrigin,
      allowedMethods: rule.AllowedMethod,
      ...(allowedHeaders && { allowedHeaders }),
      ...(allowedExposeHeaders && { allowedExposeHeaders }),
      ...(rule.MaxAgeSeconds !== undefined && { maxAgeSeconds: rule.MaxAgeSeconds }),
    };
  });

export const shownCorsRules = (rules: readonly CorsRule[]): XmlChildren => ({
  CORSRule: rules.map((rule) => ({
    ID: rule.ruleId,
    AllowedHeader: rule.allowedHeaders,
    AllowedMethod: rule.allowedMethods,
    AllowedOrigin: rule.allowedOrigins,
    ExposeHeader: rule.allowedExposeHeaders,
    MaxAgeSeconds: rule.maxAgeSeconds,
  })),
});
