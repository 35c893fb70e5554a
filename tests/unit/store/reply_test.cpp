#include "warpledger/store/remote/reply.h"

#include <gtest/gtest.h>

namespace warpledger::store {
namespace {

Progress http(std::string_view bytes, HttpReply& reply, bool has_ended = false) {
  return parse_http(bytes, has_ended, reply);
}

TEST(HttpReply, HasALengthAndNothingMore) {
  HttpReply reply;
  EXPECT_EQ(http("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab", reply), Progress::kMore);
  EXPECT_EQ(http("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc", reply), Progress::kDone);
  EXPECT_EQ(reply.body, "abc");
  EXPECT_EQ(reply.status, 200);
  EXPECT_TRUE(reply.may_reuse);
  EXPECT_EQ(http("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcd", reply), Progress::kBad);
  EXPECT_EQ(http("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab", reply, true), Progress::kBad);
}

TEST(HttpReply, ComesInChunks) {
  const std::string head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  HttpReply reply;
  EXPECT_EQ(http(head + "3\r\nabc\r\n2;x=y\r\nde\r\n", reply), Progress::kMore);
  EXPECT_EQ(http(head + "3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n", reply), Progress::kDone);
  EXPECT_EQ(reply.body, "abcde");
  EXPECT_EQ(http(head + "3\r\nabcd\r\n", reply), Progress::kBad);
  EXPECT_EQ(http(head + "ffffffffffffffff\r\n", reply), Progress::kBad);
}

TEST(HttpReply, EndsWithTheConnectionWhereNothingElseSays) {
  HttpReply reply;
  EXPECT_EQ(http("HTTP/1.0 200 OK\r\n\r\nabc", reply), Progress::kMore);
  EXPECT_EQ(http("HTTP/1.0 200 OK\r\n\r\nabc", reply, true), Progress::kDone);
  EXPECT_EQ(reply.body, "abc");
  EXPECT_FALSE(reply.may_reuse);
}

TEST(HttpReply, WhatStandsBeforeItIsSkipped) {
  HttpReply reply;
  EXPECT_EQ(http("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n", reply),
            Progress::kDone);
  EXPECT_EQ(reply.status, 204);
}

TEST(HttpReply, OtherThingsAreBad) {
  HttpReply reply;
  EXPECT_EQ(http("SSH-2.0-OpenSSH\r\n\r\n", reply), Progress::kBad);
  EXPECT_EQ(http("HTTP/1.1 2x0 OK\r\n\r\n", reply), Progress::kBad);
  EXPECT_EQ(http("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", reply), Progress::kBad);
  EXPECT_EQ(http("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", reply),
            Progress::kBad);
}

TEST(RedisReply, IsAStringAStatusAnErrorOrNothing) {
  RedisReply reply;
  EXPECT_EQ(parse_redis("$5\r\nab\r\n", reply), Progress::kMore);
  EXPECT_EQ(parse_redis("$5\r\nab\r\nc\r\n", reply), Progress::kDone);
  EXPECT_EQ(reply.value, "ab\r\nc");
  EXPECT_EQ(parse_redis("$-1\r\n", reply), Progress::kDone);
  EXPECT_EQ(reply.value, std::nullopt);
  EXPECT_EQ(parse_redis("+OK\r\n", reply), Progress::kDone);
  EXPECT_EQ(parse_redis("-NOAUTH no\r\n", reply), Progress::kDone);
  EXPECT_EQ(reply.error, "NOAUTH no");
  EXPECT_EQ(parse_redis("$99999999999\r\n", reply), Progress::kBad);
  EXPECT_EQ(parse_redis("*1\r\n", reply), Progress::kBad);
  EXPECT_EQ(parse_redis("\r\n", reply), Progress::kBad);
}

}  // namespace
}  // namespace warpledger::store
