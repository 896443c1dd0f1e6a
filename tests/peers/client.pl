# Sends a request to each URL again and again with one user agent of LWP; prints the statuses.
# Without arguments, prints its version.
#
# perl client.pl SCHEME 'URL ...' USER PASSWORD METHOD BODY COUNT
use strict;
use warnings;

package Agent;
use parent 'LWP::UserAgent';

if (!@ARGV) {
    print LWP->VERSION, "\n";
    exit;
}
my (undef, $urls, $user, $password, $method, $body, $count) = @ARGV;

# It asks once for each request, and gives up when told the same again.
sub get_basic_credentials { return ($user, $password) }

my $agent = Agent->new(keep_alive => 1, timeout => 10);
for my $url ((split ' ', $urls) x $count) {
    my $request = HTTP::Request->new($method, $url);
    $request->content($body) if $body;
    print $agent->request($request)->code, "\n";
}
